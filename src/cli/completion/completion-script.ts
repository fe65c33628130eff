/** Completion of commands and flags, generated from the command tree; asks no server. */
import type { Command } from 'commander';

interface Entry {
  /** `cluster get`; empty for the program itself. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly about: string }[];
}

export function completionEntries(command: Command, path: readonly string[] = []): Entry[] {
  const visible = command.createHelp();
  const children = visible.visibleCommands(command).filter((child) => child.name() !== 'help');
  const words = [
    ...children.map((child) => ({ word: child.name(), about: child.description() })),
    ...command.registeredArguments.flatMap((a) => (a.argChoices ?? []).map((word) => ({ word, about: '' }))),
    ...visible
      .visibleOptions(command)
      .flatMap((one) => (one.long === undefined ? [] : [{ word: one.long, about: one.description }])),
  ];
  return [
    { path: path.join(' '), words },
    ...children.flatMap((child) => completionEntries(child, [...path, child.name()])),
  ];
}

/** The longest known path among the words that are no flags is the command that is being typed. */
function bash(entries: readonly Entry[]): string {
  const cases = entries.map(
    ({ path, words }) => `    "${path}") words="${words.map((w) => w.word).join(' ')}" ;;`,
  );
  return `# bash completion for quorate
_quorate_words() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}
_quorate() {
  local words="" path="" i
  _quorate_words ""
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ "\${COMP_WORDS[i]}" == -* ]] && continue
    _quorate_words "\${path:+$path }\${COMP_WORDS[i]}" && path="\${path:+$path }\${COMP_WORDS[i]}"
  done
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    -f|--file) COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")); return ;;
    -o|--output) COMPREPLY=($(compgen -W "table json yaml name" -- "\${COMP_WORDS[COMP_CWORD]}")); return ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _quorate quorate
`;
}

const zsh = (entries: readonly Entry[]): string => `#compdef quorate
autoload -U +X bashcompinit && bashcompinit
${bash(entries)}`;

const quoted = (text: string): string => `'${text.replace(/'/g, "\\'")}'`;

function fish(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ path, words }) =>
    words.map(({ word, about }) => {
      const name = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c quorate -n ${quoted(`test "(__quorate_path)" = "${path}"`)} ${name} -d ${quoted(about)}`;
    }),
  );
  const paths = entries.filter((entry) => entry.path !== '').map((entry) => quoted(entry.path));
  return `# fish completion for quorate
function __quorate_path
  set -l known ${paths.join(' ')}
  set -l path
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; and continue
    contains -- (string join ' ' $path $word) $known; and set path $path $word
  end
  string join ' ' $path
end
complete -c quorate -f
complete -c quorate -s f -l file -r -F
${lines.join('\n')}
`;
}

export function completionScript(program: Command, shell: string): string {
  const entries = completionEntries(program);
  switch (shell) {
    case 'zsh':
      return zsh(entries);
    case 'fish':
      return fish(entries);
    default:
      return bash(entries);
  }
}
