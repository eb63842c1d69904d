--- Makes completion scripts for bash and zsh from the table of options.
--
-- @internal gprof.cli.options.completion
-- SPDX-License-Identifier: GPL-3.0-or-later

local options = require "gprof.cli.options.option_table"

local completion = {}

-- Calls a function with each option, and collects the strings that it returns.
local function collect(make)
  local made = {}
  for _, option in ipairs(options.all) do made[#made + 1] = make(option) or nil end
  return made
end

-- Returns an option's names as they are typed: "-O" and "--file-format".
local function names(option)
  local list = { option.short and "-" .. option.short }
  list[#list + 1] = option.long and "--" .. option.long
  return list
end

-- Replaces each @NAME@ in a script.
local function fill(script, texts)
  return (script:gsub("@(%u+)@", texts))
end

-- bash ----------------------------------------------------------------------------------

local bash = [==[
# Completion of gprof.lua's command line for bash: source this, or write into ~/.bashrc
#   eval "$(gprof.lua --print-completion=bash)"

# Adds the files that begin with $2: all, directories, or Lua scripts and directories.
# Names after an option, $3, are quoted here: bash quotes special characters only in words
# that are names of files.
_gprof_lua_files() {
  local name path action=-f
  [[ $1 == directories ]] && action=-d
  while IFS= read -r name; do
    path=${name/#'~/'/"$HOME/"}
    # Names with newlines are several lines, which are not names.
    [[ -e $path || -L $path ]] || continue
    [[ $1 != scripts || -d $path || $path == *.lua ]] || continue
    if [[ $3 ]]; then
      printf -v name '%s%q' "$3" "$name"
      [[ -d $path ]] && name+=/
    fi
    COMPREPLY+=("$name")
  done < <(compgen $action -- "$2")
  if [[ ! $3 ]]; then
    compopt -o filenames 2>/dev/null
  elif [[ ${#COMPREPLY[@]} == 1 && $name == */ ]]; then
    compopt -o nospace 2>/dev/null
  fi
}

_gprof_lua() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local option= head= i words= files=
  COMPREPLY=()

  # Find the option whose argument the word is. In bash, --color=al is three words.
  if [[ $word == = ]]; then
    option=$before word=
  elif [[ $before == = ]]; then
    option=${COMP_WORDS[COMP_CWORD-2]}
  elif [[ $word == --*=* ]]; then
    option=${word%%=*} head=$option= word=${word#*=}
  elif [[ $word =~ ^(-[@FLAGS@]*([@TAKERS@]))(.*)$ && ${BASH_REMATCH[3]} ]]; then
    option=-${BASH_REMATCH[2]} head=${BASH_REMATCH[1]} word=${BASH_REMATCH[3]}
  elif [[ $before =~ ^-[@FLAGS@]*([@NEEDY@])$ ]]; then
    option=-${BASH_REMATCH[1]}
  else
    case $before in
      @LONG@) option=$before ;;
    esac
  fi

  # After -- there are only files.
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -- ]] && option=--
  done

  case $option in
@ARGUMENTS@
    --) files=files ;;
    '') if [[ $word == -* ]]; then
          words='@OPTIONS@'
        else
          files=files
        fi ;;
  esac

  [[ $words ]] && mapfile -t COMPREPLY < <(compgen -W "$words" -P "$head" -- "$word")
  if [[ $files ]]; then
    _gprof_lua_files $files "$word" "$head"
  elif [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then
    compopt -o nospace 2>/dev/null
  fi
  return 0
}

complete -F _gprof_lua gprof.lua
]==]

-- Returns the branch of a shell `case` that sets what an option's argument may be: words
-- and kinds of files; nil if the option takes any text.
local function bash_argument(option)
  local words = options.values(option)
  local parts = { words and ("words='%s'"):format(table.concat(words, " ")) }
  parts[#parts + 1] = option.takes and "files=" .. option.takes
  return parts[1] and ("    %s) %s ;;"):format(table.concat(names(option), "|"),
    table.concat(parts, " "))
end

-- Returns the words that complete an option's name, with "=" where an argument may
-- follow.
local function bash_words(option)
  local words = names(option)
  if option.long and option.argument == "required" then
    words[#words] = words[#words] .. "="
  elseif option.long and option.argument == "optional" then
    words[#words + 1] = words[#words] .. "="
  end
  return table.concat(words, " ")
end

-- Returns the letters of all options whose argument is of one of these kinds.
local function letters(...)
  local kinds = {}
  for _, kind in ipairs { ... } do kinds[kind] = true end
  return table.concat(collect(function(option)
    return kinds[option.argument] and option.short
  end))
end

local function for_bash()
  return fill(bash, {
    FLAGS = letters("none"),
    TAKERS = letters("required", "optional"),
    NEEDY = letters("required"),
    LONG = table.concat(collect(function(option)
      return option.argument == "required" and option.long and "--" .. option.long or nil
    end), "|"),
    ARGUMENTS = table.concat(collect(bash_argument), "\n"),
    OPTIONS = table.concat(collect(bash_words), " "),
  })
end

-- zsh -----------------------------------------------------------------------------------

local zsh = [==[
#compdef gprof.lua
# Completion of gprof.lua's command line for zsh: put this into a file _gprof.lua in a
# directory of $fpath, or write into ~/.zshrc, after compinit,
#   source <(gprof.lua --print-completion=zsh)

@FUNCTIONS@
_gprof_lua() {
  _arguments -s -S \
@OPTIONS@
    ':program:_files' \
    '*:profile:_files'
}

if (( $+compstate )); then
  _gprof_lua "$@"
else
  compdef _gprof_lua gprof.lua
fi
]==]

local zsh_files <const> = {
  files = "_files", directories = "_files -/", scripts = '_files -g "*.lua"',
}

-- For each kind of argument, the format of a short option for _arguments: "-w+" accepts
-- "-w 9" and "-w9", "-p-" only "-pX".
local zsh_short <const> = { none = "-%s", required = "-%s+", optional = "-%s-" }
local zsh_long <const> = { none = "--%s", required = "--%s=", optional = "--%s=-" }
local zsh_colons <const> = { required = ":", optional = "::" }

-- Returns the action that completes an argument: words, files, or the name of a shell
-- function if the argument may be a word or a file.
local function zsh_action(option)
  local words = options.values(option)
  words = words and "(" .. table.concat(words, " ") .. ")"
  if words and option.takes then
    return "_gprof_lua_" .. option.long
  end
  return words or zsh_files[option.takes] or " "
end

local zsh_alternative <const> = [[
%s() {
  _alternative 'words:%s:(%s)' 'files:file:%s'
}
]]

-- Returns the definition of the function that completes words or files, if an option
-- needs it.
local function zsh_function(option)
  local words = option.takes and options.values(option)
  return words and zsh_alternative:format(zsh_action(option), option.value,
    table.concat(words, " "), zsh_files[option.takes])
end

-- Returns an option's argument for _arguments: its name, and the action that completes
-- it.
local function zsh_argument(option)
  if option.argument == "none" then return "" end
  local value = option.value:gsub(":", "\\:")
  return zsh_colons[option.argument] .. value .. ":" .. zsh_action(option)
end

-- Returns the specifications of an option for _arguments, one for each name. Flags are
-- completed only once.
local function zsh_option(option)
  local forms, kind = {}, option.argument
  if option.short then forms[1] = zsh_short[kind]:format(option.short) end
  if option.long then forms[#forms + 1] = zsh_long[kind]:format(option.long) end
  local once = "(" .. table.concat(names(option), " ") .. ")"
  local text = option.help:gsub(":$", ""):gsub("[%[%]\\:]", "\\%0"):gsub("'", "'\\''")
  for i, form in ipairs(forms) do
    forms[i] = ("    '%s%s[%s]%s' \\"):format(
      kind == "none" and once or "*", form, text, zsh_argument(option))
  end
  return table.concat(forms, "\n")
end

local function for_zsh()
  return fill(zsh, {
    FUNCTIONS = table.concat(collect(zsh_function), "\n"),
    OPTIONS = table.concat(collect(zsh_option), "\n"),
  })
end

local scripts <const> = { bash = for_bash, zsh = for_zsh }

--- Makes the script for a shell.
-- @tparam string shell "bash" or "zsh"
-- @treturn string
function completion.script(shell)
  return scripts[shell]()
end

return completion
