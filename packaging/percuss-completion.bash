# SPDX-FileCopyrightText: 2026 The Percuss authors
# SPDX-License-Identifier: Apache-2.0

# Bash completion of percuss: commands, their options as --help lists them, file names otherwise.
_percuss() {
  local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} candidates
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    candidates=$("$program" --help 2>/dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
  elif [[ $word == -* ]]; then
    candidates=$("$program" "${COMP_WORDS[1]}" --help 2>/dev/null | grep -o -e '--[a-z-]*' | sort -u)
  else
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$candidates" -- "$word")
}
complete -o default -F _percuss percuss
