-- --html: functions in groups, by parts of their names and by places.
-- SPDX-License-Identifier: GPL-3.0-or-later

local browser = require "support.browser"
local crafted = require "support.crafted"
local dkjson = require "dkjson"
local exported = require "support.exported"
local gmon = require "support.gmon"
local pages = require "support.pages"
local program = require "support.program"
local shell = require "support.shell"

local lack <const> = browser.lack()
if lack then return pending(lack) end

local key <const> = browser.key

local plan <const> = {
  functions = { "main", "a::X::X()", "a::X::run()", "a::less<int>::operator()(int) const",
    "a::less<char>::operator()(char) const", "a::b::help()" },
  ticks = { main = 14, ["a::X::run()"] = 36, ["a::less<int>::operator()(int) const"] = 20,
    ["a::less<char>::operator()(char) const"] = 20, ["a::b::help()"] = 10 },
  calls = { { "main", "a::X::run()", 1 }, { "a::X::run()", "a::less<int>::operator()(int) const", 5 },
    { "a::X::run()", "a::less<char>::operator()(char) const", 7 }, { "a::X::run()", "a::b::help()", 1 } },
}

describe("A name", function()
  -- Returns what the page makes of names: template, class and namespace.
  local function parts_of(names)
    local expression = ("(() => { const parsed = %s.map(parsedName), scopes = scopesAmong(parsed); " ..
      "return parsed.map((each) => [each.template, className(each, scopes), namespaceName(each, scopes)]" ..
      ".join(' | ')); })()")
      :format(dkjson.encode(names))
    return browser.walk(select(2, pages.crafted(crafted.example)), expression)[1]
  end

  local function check(cases)
    local names, wanted = {}, {}
    for i, case in ipairs(cases) do names[i], wanted[i] = case[1], case[2] end
    assert.same(wanted, parts_of(names))
  end

  it("of C++ has a template, a class and a namespace", function()
    check {
      { "std::less<int>::operator()(int const&, int const&) const", "std::less<*>::operator() | std::less<*> | std" },
      { "void boost::spirit::qi::detail::parse<char>(char)", "boost::spirit::qi::detail::parse<*> |  | boost::spirit" },
      { "boost::spirit::qi::rule<It, int()>::parse(It&) const",
        "boost::spirit::qi::rule<*>::parse | boost::spirit::qi::rule<*> | boost::spirit" },
      { "std::ostream& std::operator<< <std::char<char> >(std::ostream&, char)", "std::operator<< <*> |  | std" },
      { "std::__cxx11::basic_string<char>::append(char)",
        "std::__cxx11::basic_string<*>::append | std::__cxx11::basic_string<*> | std" },
      { "Foo::operator std::string() const", "Foo::operator std::string | Foo | " },
      { "std::vector<int, std::allocator<int> > make<int>()", "make<*> |  | " },
      { "bool operator<(A const&, B const&)", "operator< |  | " },
      { "operator new(unsigned long)", "operator new |  | " },
      { "vtk::obj::~obj()", "vtk::obj::~obj | vtk::obj | vtk" },
      { "vtk::obj::run(int) [clone .cold]", "vtk::obj::run | vtk::obj | vtk" },
      { "Eigen::Matrix<double, 3>::inverse()", "Eigen::Matrix<*>::inverse | Eigen::Matrix<*> | Eigen" },
      { "Eigen::internal::gemm(int)", "Eigen::internal::gemm |  | Eigen::internal" },
      { "(anonymous namespace)::help(int)", "(anonymous namespace)::help |  | (anonymous namespace)" },
      { "a::(anonymous namespace)::Y::Y()", "a::(anonymous namespace)::Y::Y | a::(anonymous namespace)::Y | a" },
    }
  end)

  it("of a lambda, or of a class in a function, is that of the function", function()
    check {
      { "main::{lambda(int)#1}::operator()(int) const", "main |  | " },
      { "ns::f(int)::{lambda()#1}::operator()() const", "ns::f |  | ns" },
      { "f(int)::Local::g()", "f |  | " },
      { "app::run::{{closure}}", "app::run |  | app" },
    }
  end)

  it("of Rust has a type and a module", function()
    check {
      { "<alloc::vec::Vec<T> as core::ops::Drop>::drop::h0123456789abcdef",
        "<alloc::vec::Vec<*> as core::ops::Drop>::drop | alloc::vec::Vec<*> | alloc::vec" },
      { "<impl core::fmt::Display for app::Point>::fmt",
        "<impl core::fmt::Display for app::Point>::fmt | app::Point | app" },
      { "alloc::slice::<impl [T]>::sort", "alloc::slice::<impl [T]>::sort | alloc::slice::[T] | alloc::slice" },
      { "core::ptr::drop_in_place<alloc::string::String>", "core::ptr::drop_in_place<*> |  | core::ptr" },
      { "app::Point::new", "app::Point::new | app::Point | app" },
    }
  end)

  it("of Fortran has a module; names of C have nothing", function()
    check {
      { "__mesh_MOD_refine", "mesh::refine |  | mesh" }, { "mesh_mp_coarsen_", "mesh::coarsen |  | mesh" },
      { "solver_", "solver_ |  | " }, { "f.part.0", "f |  | " }, { "memcpy@libc.so.6", "memcpy |  | " },
      { "a<b", "a<*> |  | " }, { "::", ":: |  | " },
    }
  end)

  it("of Lua has a module", function()
    local found = browser.walk(select(2, pages.crafted(crafted.example)), "['a.b.f', 'Class:method', 'g', 'h']" ..
      ".map((name, i) => luaModule(name, i === 2 ? 'dir/mod.lua' : ''))")
    assert.same({ { "a.b", "Class", "mod", "" } }, found)
  end)
end)

describe("The functions of a page", function()
  local path = select(2, pages.crafted(plan))
  local rows <const> = "[...document.querySelectorAll('.grouped tbody tr')].map((row) => " ..
    "[0, 3, 6, 7].map((i) => row.cells[i].textContent).join(' ')).join('; ')"
  local status <const> = "document.querySelector('[role=status]').textContent"
  local open <const>, seen <const> = { "click", ".group-choice" }, "document.querySelector('.group-choice').textContent"
  local function choose(number) return { "click", ("#row-menu button:nth-child(%d)"):format(number) } end

  it("are grouped by what their names say, with the time of each group; the address says how", function()
    local found = browser.walk(path, open, choose(3), seen, rows, "location.hash", status,
      open, choose(2), rows, key "g", choose(4), rows, { "back" }, "location.hash", rows)
    assert.equal("By class ▾", found[1])
    assert.equal("40.0 40.0 12 a::less<*> (2); 36.0 86.0 1 a::X (1); 24.0 100.0 1 no class (2)", found[2])
    assert.equal("#&group=class", found[3])
    assert.equal("3 groups, 5 functions", found[4])
    assert.truthy(found[5]:find("40.0 40.0 12 a::less<*>::operator() (2)", 1, true))
    assert.equal("76.0 86.0 13 a (3); 14.0 100.0  no namespace (1); 10.0 10.0 1 a::b (1)", found[6])
    assert.same({ "#&group=template", found[5] }, { found[7], found[8] })
  end)

  it("unfold by a click or by keys, and are filtered", function()
    local names <const> = "[...document.querySelectorAll('.grouped :is(.fold, .node)')]" ..
      ".map((e) => e.textContent).join('; ')"
    local found = browser.walk(path, { "open", "&group=class" }, { "click", ".fold" }, names, key "ArrowLeft", names,
      key "ArrowRight", key "ArrowDown", browser.focused, key "/", { "type", "run" }, names)
    local first = "a::less<*> (2); a::less<char>::operator()(char) const; a::less<int>::operator()(int) const; "
    assert.same({ first .. "a::X (1); no class (2)", "a::less<*> (2); a::X (1); no class (2)",
      "a::less<char>::operator()(char) const", "a::X (1)" }, found)
  end)

  it("have colours of their groups in the tree, which follow from the groups' names", function()
    local tint <const> = "[...document.querySelectorAll('.frame')].map((e) => /u\\d+|tr/.exec(e.className)[0])" ..
      ".join(' ')"
    local wanted <const> = "['no class', 'a::X', 'a::less<*>', 'a::less<*>', 'no class'].map(hueOf).join(' ')"
    local found = browser.walk(path, { "open", "!tree&group=class" }, tint, wanted,
      "document.querySelector('.legend').textContent",
      "getComputedStyle(document.querySelector('.frame:nth-child(1):not(.tr)')).backgroundColor !== 'rgba(0, 0, 0, 0)'",
      { "open", "" }, "location.hash")
    assert.equal("tr " .. found[2], found[1])
    assert.equal("Self time by class:a::less<*> (40.0 %)a::X (36.0 %)no class (24.0 %)", found[3])
    assert.same({ true, "#&group=class" }, { found[4], found[5] })
  end)

  it("of a Lua program are grouped by what they are", function()
    local dir = shell.tmpdir "kinds"
    shell.write(dir .. "/main.lua", "local function work() table.concat {} end\nwork()\n")
    program.run({ "--record", "--html=page.html", "main.lua" }, { cwd = dir })
    local found = browser.walk(dir .. "/page.html", "functions.name.map((name, i) => kindOf(i) + ': ' + name).sort()",
      "(functions.name[0] = 'garbage collector') && kindOf(0)", "groupingByKey('kind').groups().names.length")
    assert.same({ { "C: table.concat", "Lua: main chunk of main.lua", "Lua: work" }, "garbage collector", 3 }, found)
  end)

  it("are grouped by file, directory and thread", function()
    local image, profile = exported.inlined()
    local names <const> = "[...document.querySelectorAll('.fold')].map((e) => e.textContent).join('; ')"
    local found = browser.walk(select(2, pages.write(image, profile)), { "open", "&group=file" }, names,
      { "open", "&group=directory" }, "document.querySelectorAll('.fold').length")
    assert.match("main%.c", found[1])
    assert.equal(1, found[2])
    local measured, context = exported.measured()
    found = browser.walk(select(2, pages.write(measured, context)), { "open", "&group=thread" },
      "document.querySelectorAll('.fold').length", "threadChoices.length", { "click", ".fold" },
      "document.querySelector('.grouped .node') !== null",
      "Math.abs(groupsOf(listGrouping).reduce((sum, group) => sum + sumOfMembers(group).self, 0) - data.total) < 0.02")
    assert.equal(found[2], found[1])
    assert.same({ true, true }, { found[3], found[4] })
  end)

  it("are grouped by run or rank if the spread of runs is known", function()
    local runs, dir = {}, shell.tmpdir "ranks"
    for i, ticks in ipairs { 10, 70 } do
      runs[i] = gmon.write(("%s/gmon.sum.%d"):format(dir, i - 1), gmon.magic(crafted.records {
        functions = { "main", "work" }, ticks = { main = 20, work = ticks }, calls = { { "main", "work", 2 } } }))
    end
    local page = select(2, pages.write(crafted.image { functions = { "main", "work" } }, runs[1], "--spread", runs[2]))
    local shown <const> = "[...document.querySelectorAll('.grouped tbody tr')].map((row) => " ..
      "[1, 4, 6, 7].map((i) => row.cells[i].textContent).join(' ')).join('; ')"
    assert.same({ "0.90   gmon.sum.1 (2); 0.30   gmon.sum.0 (2)",
      "0.90   gmon.sum.1 (2); 0.70   work; 0.20   main; 0.30   gmon.sum.0 (2)" },
      browser.walk(page, { "open", "&group=run" }, shown, { "click", ".fold" }, shown))
  end)
end)
