// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss._core: impacts of arrays, and the laws. Private; python/percuss/_impact.py is what people
// call. No pictures, no videos: it loads fast.

#include <fmt/core.h>
#include <pybind11/eigen.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <optional>
#include <stdexcept>

#include "app/sweep/sweep.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/parallel.h"
#include "capture/experiment/experiment_body.h"
#include "python/core/impact_batch.h"
#include "solver/solve_impact.h"

namespace percuss::python {
namespace {

namespace py = pybind11;
using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

// An array of the shape `row` (the same for all), or of `count` such rows. It must outlive the
// rows.
Rows RowsOf(const Array& array, std::size_t count, const char* name,
            const std::vector<py::ssize_t>& row) {
  const std::vector<py::ssize_t> shape(array.shape(), array.shape() + array.ndim());
  if (shape == row) return {array.data(), 0};
  std::vector<py::ssize_t> many = row;
  many.insert(many.begin(), static_cast<py::ssize_t>(count));
  if (shape != many) {
    throw InputError(fmt::format("{}: found an array of the shape {}, allowed {} or {}", name,
                                 std::string(py::str(py::tuple(py::cast(shape)))),
                                 std::string(py::str(py::tuple(py::cast(row)))),
                                 std::string(py::str(py::tuple(py::cast(many))))));
  }
  std::size_t stride = 1;
  for (const py::ssize_t size : row) stride *= static_cast<std::size_t>(size);
  return {array.data(), stride};
}

// What SolveBatch fills, as arrays of numpy that are made for it.
class Answers {
 public:
  Answers(std::size_t count, bool body, bool derivatives, std::size_t num_parameters) {
    const auto n = static_cast<py::ssize_t>(count);
    const auto p = static_cast<py::ssize_t>(num_parameters);
    if (body) {
      to.velocity = New<double>("velocity", {n, 3});
      to.angular_velocity = New<double>("angular_velocity", {n, 3});
    }
    to.impulse = New<double>("impulse", {n, 3});
    to.contact_velocity = New<double>("contact_velocity", {n, 3});
    to.energy_before = New<double>("energy_before", {n});
    to.normal_work = New<double>("normal_work", {n});
    to.friction_work = New<double>("friction_work", {n});
    to.modes = New<std::uint16_t>("modes", {n});
    to.sun_case = New<std::uint8_t>("case", {n});
    to.reason = New<std::uint8_t>("reason", {n});
    const py::ssize_t speeds = body ? 6 : 3;
    if (derivatives) {
      to.by_state = New<double>("by_state", {n, speeds, speeds});
      to.by_parameters = New<double>("by_parameters", {n, speeds, p});
    }
  }

  ImpactAnswers to;
  py::dict arrays;

 private:
  template <typename T>
  T* New(const char* name, const std::vector<py::ssize_t>& shape) {
    py::array_t<T> array(shape);
    arrays[name] = array;
    return array.mutable_data();
  }
};

py::dict Solve(ImpactBatch& batch, const std::string& law, const std::vector<Array>& parameters,
               std::size_t count, int threads, bool derivatives) {
  batch.law = &solver::FindLaw(law);
  for (std::size_t k = 0; k < parameters.size(); ++k)
    batch.parameters.push_back(RowsOf(parameters[k], count, "a parameter", {}));
  Answers answers(count, batch.body != nullptr, derivatives, parameters.size());
  {
    const py::gil_scoped_release others_may_run;
    SolveBatch(batch, count, threads, answers.to, [] {
      const py::gil_scoped_acquire ours;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    });
  }
  return answers.arrays;
}

py::dict SolveBody(const std::string& law, const solver::Body& body,
                   const std::vector<Array>& parameters, const Array& velocity,
                   const Array& angular_velocity, const Array& orientation,
                   const std::optional<Array>& contact_point, const Array& normal,
                   std::size_t count, int threads, bool derivatives) {
  ImpactBatch batch{
      .velocity = RowsOf(velocity, count, "velocity", {3}),
      .body = &body,
      .angular_velocity = RowsOf(angular_velocity, count, "angular_velocity", {3}),
      .orientation = RowsOf(orientation, count, "orientation", {4}),
      .contact_point = contact_point ? RowsOf(*contact_point, count, "contact_point", {3}) : Rows{},
      .normal = RowsOf(normal, count, "normal", {3})};
  return Solve(batch, law, parameters, count, threads, derivatives);
}

py::dict SolveContact(const std::string& law, const std::vector<Array>& parameters,
                      const Array& inverse_mass, const Array& velocity, std::size_t count,
                      int threads, bool derivatives) {
  ImpactBatch batch{.velocity = RowsOf(velocity, count, "velocity", {3}),
                    .inverse_mass = RowsOf(inverse_mass, count, "inverse_mass", {3, 3})};
  return Solve(batch, law, parameters, count, threads, derivatives);
}

py::list ParametersOf(const std::vector<solver::ParameterInfo>& infos) {
  py::list list;
  for (const solver::ParameterInfo& info : infos) {
    list.append(py::make_tuple(std::string(info.name), info.lower, info.upper, info.typical,
                               std::string(info.meaning)));
  }
  return list;
}

py::list Laws() {
  py::list list;
  for (const solver::LawInfo& law : solver::Laws()) {
    py::dict facts;
    facts["name"] = std::string(law.name);
    facts["summary"] = std::string(law.summary);
    facts["source"] = std::string(law.source);
    facts["parameters"] = ParametersOf(law.parameters);
    facts["optional_parameters"] = ParametersOf(law.optional_parameters);
    facts["several_points"] = law.several_points;
    list.append(facts);
  }
  return list;
}

// The exception of Python for one of C++, which shows itself as percuss.NAME.
template <typename Error>
void AddError(py::module_& module, const char* name, PyObject* base, const char* meaning) {
  auto& error = py::register_exception<Error>(module, name, base);
  error.attr("__module__") = "percuss";
  error.attr("__doc__") = meaning;
}

PYBIND11_MODULE(_core, module) {
  AddError<InputError>(module, "InputError", PyExc_ValueError,
                       "What went in is wrong; the message names it and what is allowed.");
  AddError<DataError>(module, "NoAnswer", PyExc_RuntimeError,
                      "What went in is in order but cannot answer; the message says why.");
  py::register_exception_translator([](std::exception_ptr error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::invalid_argument& invalid) {
      const py::object type = py::module_::import("percuss._core").attr("InputError");
      PyErr_SetString(type.ptr(), invalid.what());
    }
  });
  module.attr("VERSION") = ProgramVersion();
  module.attr("REASONS") = Reasons();
  module.attr("CASES") = std::vector<std::string>(app::kCases.begin(), app::kCases.end());
  module.def("laws", &Laws);
  module.def("all_cores", &AllCores);
  // A plain type of Python, as the stubs say.
  const py::metaclass type(reinterpret_cast<PyObject*>(&PyType_Type));
  py::class_<solver::Body>(module, "Body", type)
      .def_readonly("mass", &solver::Body::mass)
      .def_property_readonly("inertia", [](const solver::Body& body) { return body.inertia; })
      .def_property_readonly(
          "shape", [](const solver::Body& body) { return solver::ShapeName(body.shape); });
  module.def(
      "read_body", [](const std::filesystem::path& file) { return capture::ReadBody(file).body; },
      py::arg("file"));
  module.def("solve_body", &SolveBody, py::arg("law"), py::arg("body"), py::arg("parameters"),
             py::arg("velocity"), py::arg("angular_velocity"), py::arg("orientation"),
             py::arg("contact_point"), py::arg("normal"), py::arg("count"), py::arg("threads"),
             py::arg("derivatives"));
  module.def("solve_contact", &SolveContact, py::arg("law"), py::arg("parameters"),
             py::arg("inverse_mass"), py::arg("velocity"), py::arg("count"), py::arg("threads"),
             py::arg("derivatives"));
}

}  // namespace
}  // namespace percuss::python
