// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss._program: the commands of the program. Private, and loaded only where they are run:
// `python -m percuss` runs one in a process of its own, which python/percuss/_program.py starts.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdio>
#include <string>
#include <vector>

#include "app/command_list.h"
#include "app/program.h"

namespace percuss::python {
namespace {

namespace py = pybind11;

int Run(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const py::gil_scoped_release others_may_run;
  const int exit_code = app::RunProgram(static_cast<int>(arguments.size()), argv.data());
  std::fflush(stdout);
  return exit_code;
}

py::list Commands() {
  py::list list;
  for (const app::CommandFacts& command : app::ListCommands()) {
    py::list options;
    for (const app::OptionFacts& option : command.options) {
      py::dict facts;
      facts["name"] = option.name;
      facts["positional"] = option.positional;
      facts["required"] = option.required;
      facts["flag"] = option.flag;
      facts["least_values"] = option.least_values;
      facts["most_values"] = option.most_values;
      facts["values"] = option.values;
      facts["meaning"] = option.meaning;
      facts["standard"] = option.standard;
      options.append(facts);
    }
    list.append(py::make_tuple(command.name, command.meaning, options));
  }
  return list;
}

PYBIND11_MODULE(_program, module) {
  module.def("run", &Run, py::arg("arguments"));
  module.def("commands", &Commands);
}

}  // namespace
}  // namespace percuss::python
