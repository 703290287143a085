// downtick completion SHELL: a script for the shell. Names come from the table of commands, families from the server.

#include <fmt/format.h>

#include "cli/option_line.hh"

namespace cli {
namespace {

// The options of a command, from what it says about itself: each is offered what it takes.
constexpr std::string_view options_of_help = R"(--help 2>/dev/null | sed -nE 's/^ +(-. \[ )?(--[a-z-]+).*/\2/p')";

std::string command_names(std::string_view separator) {
    std::string names = "serve";
    for (const auto& c : commands()) {
        names += fmt::format("{}{}", separator, c.name);
    }
    return names;
}

std::string bash_script() {
    return fmt::format(R"--(_downtick() {{
  local word=${{COMP_WORDS[COMP_CWORD]}}
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "{0}" -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$(downtick "${{COMP_WORDS[1]}}" {1})" -- "$word"))
  else
    case ${{COMP_WORDS[1]}} in
      families) COMPREPLY=($(compgen -W "delete series tags fields $(downtick families 2>/dev/null | sed 1d | cut -d' ' -f1)" -- "$word")) ;;
      tail | range) COMPREPLY=($(compgen -W "$(downtick families 2>/dev/null | sed 1d | cut -d' ' -f1)" -- "$word")) ;;
      retention) COMPREPLY=($(compgen -W "ls set unset run" -- "$word")) ;;
      table) COMPREPLY=($(compgen -W "ls create drop" -- "$word")) ;;
      blob) COMPREPLY=($(compgen -W "ls cat" -- "$word")) ;;
      *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
  fi
}}
complete -F _downtick downtick
)--",
                       command_names(" "), options_of_help);
}

// Inside quotes of fish.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        out += c == '\'' || c == '\\' ? "\\" : "";
        out += c;
    }
    return out;
}

std::string fish_script() {
    std::string text = "complete -c downtick -n __fish_use_subcommand -f -a serve -d 'run the server'\n";
    for (const auto& c : commands()) {
        text += fmt::format("complete -c downtick -n __fish_use_subcommand -f -a {} -d '{}'\n", c.name, c.summary);
    }
    text += fmt::format("complete -c downtick -n 'not __fish_use_subcommand; and string match -q -- \"-*\" (commandline -ct)' -f "
                        "-a '(downtick (commandline -opc)[2] {})'\n",
                        escaped(options_of_help));
    text += "complete -c downtick -n '__fish_seen_subcommand_from tail range families' -f "
            "-a '(downtick families 2>/dev/null | sed 1d | cut -d\" \" -f1)'\n";
    return text;
}

} // namespace

int completion(const arguments& args) {
    option_line line("completion bash|zsh|fish",
                     "print a script that completes downtick's commands\n"
                     "Example: downtick completion bash > ~/.local/share/bash-completion/completions/downtick");
    if (const auto done = line.parse(args)) {
        return *done;
    }
    const std::string shell = line.words().size() == 1 ? line.words()[0] : "";
    if (shell == "bash") {
        fmt::print("{}", bash_script());
    } else if (shell == "zsh") {
        fmt::print("autoload -U +X bashcompinit && bashcompinit\n{}", bash_script());
    } else if (shell == "fish") {
        fmt::print("{}", fish_script());
    } else {
        return line.refuse("completion: for bash, zsh or fish?");
    }
    return 0;
}

} // namespace cli
