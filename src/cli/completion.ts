// Shell completion, generated from the table of commands, so that a completion starts no process.
import { flagName, type OptionSpec } from './command.ts'
import type { CommandOutline } from './command-outlines.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** One completion position: after `berth`, after `berth node`, after `berth node silence`. */
interface CompletionPosition {
  readonly path: string
  readonly words: readonly Word[]
  readonly flags: readonly CompletionFlag[]
  /** Without words, the shell completes file names. */
  readonly files: boolean
}

interface Word {
  readonly text: string
  readonly summary: string
}

interface CompletionFlag extends Word {
  readonly short: string | undefined
  readonly takesValue: boolean
  readonly choices: readonly string[]
}

export function completionScript(shell: Shell, commands: readonly CommandOutline[]): string {
  const places = positionsOf(commands)
  switch (shell) {
    case 'bash':
      return bashScript(places)
    case 'zsh':
      return zshScript(places)
    case 'fish':
      return fishScript(places)
  }
}

function positionsOf(commands: readonly CommandOutline[]): readonly CompletionPosition[] {
  const root = { path: '', words: [...commands.map(wordOf)], flags: [helpFlag], files: false }
  return [root, ...commands.flatMap((command) => placesOf(command, ''))]
}

// Directives for the shell in the completion protocol of kubectl and its plugins (cobra).
const filesDirective = ':0'
const noFilesDirective = ':4'

/**
 * The output of `kubectl_complete-berth WORD… LAST`, which kubectl calls for a plugin: one candidate for the last word per line,
 * with its description after a tab, and a directive.
 */
export function completionAnswer(given: readonly string[], commands: readonly CommandOutline[]): string {
  const before = given.slice(0, -1)
  const last = given.at(-1) ?? ''
  const positions = new Map(positionsOf(commands).map((position) => [position.path, position]))
  let position = positions.get('') as CompletionPosition
  let pending: CompletionFlag | undefined
  for (const word of before) {
    if (pending !== undefined) pending = undefined
    else if (word.startsWith('-')) {
      const flag = position.flags.find((each) => spellings(each).includes(word))
      pending = flag?.takesValue === true ? flag : undefined
    } else position = positions.get(position.path === '' ? word : `${position.path} ${word}`) ?? position
  }
  const candidates: readonly Word[] =
    pending !== undefined
      ? pending.choices.map((text) => ({ text, summary: '' }))
      : last.startsWith('-')
        ? position.flags
        : position.words
  const lines = candidates
    .filter(({ text }) => text.startsWith(last))
    .map(({ text, summary }) => (summary === '' ? text : `${text}\t${summary}`))
  const isFile = pending === undefined ? position.files && !last.startsWith('-') : pending.choices.length === 0
  return `${[...lines, isFile ? filesDirective : noFilesDirective].join('\n')}\n`
}

const helpFlag: CompletionFlag = { text: '--help', short: '-h', summary: 'Show help', takesValue: false, choices: [] }

function placesOf(command: CommandOutline, above: string): readonly CompletionPosition[] {
  const path = above === '' ? command.name : `${above} ${command.name}`
  if (command.kind === 'group') {
    const place = { path, words: command.commands.map(wordOf), flags: [helpFlag], files: false }
    return [place, ...command.commands.flatMap((inner) => placesOf(inner, path))]
  }
  const words = command.args.flatMap((argument) =>
    (argument.choices ?? []).map((text) => ({ text, summary: argument.summary })),
  )
  const options: Readonly<Record<string, OptionSpec<unknown>>> = command.options
  const flags = Object.entries(options).flatMap(([key, option]) => (option.hidden ? [] : [flagOf(key, option)]))
  return [{ path, words, flags: [...flags, helpFlag], files: words.length === 0 }]
}

function wordOf(command: CommandOutline): Word {
  return { text: command.name, summary: command.summary }
}

function flagOf(key: string, option: OptionSpec<unknown>): CompletionFlag {
  return {
    text: `--${flagName(key)}`,
    short: option.short === undefined ? undefined : `-${option.short}`,
    summary: option.summary,
    takesValue: option.kind !== 'boolean',
    choices: option.choices ?? [],
  }
}

const spellings = (flag: CompletionFlag) => (flag.short === undefined ? [flag.text] : [flag.text, flag.short])

/** In all three shells, only the quote itself needs escaping in single quotes. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const fishQuote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function bashScript(places: readonly CompletionPosition[]): string {
  const words = places.map((place) => {
    const all = [...place.words.map((word) => word.text), ...place.flags.flatMap(spellings)]
    return `    ${quote(place.path)}) words=${quote(all.join(' '))} ;;`
  })
  const values = places.flatMap((place) =>
    place.flags
      .filter((flag) => flag.takesValue)
      .map((flag) => {
        const patterns = spellings(flag).map((spelling) => quote(`${place.path}:${spelling}`))
        return `    ${patterns.join('|')}) takes=1 words=${quote(flag.choices.join(' '))} ;;`
      }),
  )
  return `# bash completion for berth
_berth_words() {
  words=''
  case "$1" in
${words.join('\n')}
    *) return 1 ;;
  esac
}

_berth_value() {
  takes='' words=''
  case "$1:$2" in
${values.join('\n')}
  esac
  [ -n "$takes" ]
}

_berth() {
  local current previous place='' word words takes at
  COMPREPLY=()
  current="\${COMP_WORDS[COMP_CWORD]}"
  previous="\${COMP_WORDS[COMP_CWORD-1]}"
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    _berth_words "\${place:+$place }$word" && place="\${place:+$place }$word"
  done
  _berth_value "$place" "$previous" || _berth_words "$place"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -o default -F _berth berth
`
}

function zshScript(places: readonly CompletionPosition[]): string {
  const described = (word: Word, text: string) => quote(`${text.replaceAll(':', '\\:')}:${word.summary}`)
  const cases = places.map((place) => {
    const words = place.words.map((word) => described(word, word.text))
    const flags = place.flags.flatMap((flag) => spellings(flag).map((spelling) => described(flag, spelling)))
    return `    ${quote(place.path)}) words_here=(${words.join(' ')}); flags_here=(${flags.join(' ')}); files_here=${place.files ? 1 : 0} ;;`
  })
  const values = places.flatMap((place) =>
    place.flags
      .filter((flag) => flag.takesValue)
      .map((flag) => {
        const patterns = spellings(flag).map((spelling) => quote(`${place.path}:${spelling}`))
        return `    ${patterns.join('|')}) takes=1; choices=(${flag.choices.map(quote).join(' ')}) ;;`
      }),
  )
  return `#compdef berth
# zsh completion for berth
_berth_place() {
  words_here=() flags_here=() files_here=0
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}

_berth_value() {
  takes=0 choices=()
  case "$1:$2" in
${values.join('\n')}
  esac
  (( takes ))
}

_berth() {
  local place='' word at takes files_here
  local -a words_here flags_here choices
  for ((at = 2; at < CURRENT; at++)); do
    word="\${words[at]}"
    _berth_place "\${place:+$place }$word" && place="\${place:+$place }$word"
  done
  if _berth_value "$place" "\${words[CURRENT-1]}"; then
    if (( \${#choices} )); then compadd -a choices; else _files; fi
    return
  fi
  _berth_place "$place"
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe 'option' flags_here
  elif (( \${#words_here} )); then
    _describe 'word' words_here
  elif (( files_here )); then
    _files
  fi
}

if [ "$funcstack[1]" = "_berth" ]; then _berth "$@"; else compdef _berth berth; fi
`
}

function fishScript(places: readonly CompletionPosition[]): string {
  const lines = places.flatMap((place) => {
    const here = `-n ${fishQuote(`__berth_at ${fishQuote(place.path)}`)}`
    const words = place.words.map(
      (word) => `complete -c berth -f ${here} -a ${fishQuote(word.text)} -d ${fishQuote(word.summary)}`,
    )
    const flags = place.flags.map((flag) => {
      const short = flag.short === undefined ? '' : ` -s ${flag.short.slice(1)}`
      const value =
        flag.choices.length > 0 ? ` -x -a ${fishQuote(flag.choices.join(' '))}` : flag.takesValue ? ' -r' : ''
      return `complete -c berth ${here} -l ${flag.text.slice(2)}${short}${value} -d ${fishQuote(flag.summary)}`
    })
    return [...words, ...flags]
  })
  const paths = places.map((place) => fishQuote(place.path)).join(' ')
  return `# fish completion for berth
function __berth_at
    set -l place
    for word in (commandline -opc)[2..-1]
        set -l next (string join ' ' $place $word)
        contains -- $next ${paths}; and set place $next
    end
    test "$place" = "$argv[1]"
end

${lines.join('\n')}
`
}
