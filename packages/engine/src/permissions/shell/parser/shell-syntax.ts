// What a command line is made of once it is parsed. See parse-command.ts.

/** `text` is passed on as it stands; a `glob` is filled in from file names; a `hole` is known only to the shell. */
export interface WordPart {
  readonly type: 'text' | 'glob' | 'hole'
  readonly text: string
}

export interface Word {
  /** As written, quotes and all. */
  readonly source: string
  /** Quotes removed; expansions stay as written. */
  readonly text: string
  readonly parts: readonly WordPart[]
  /** The shell passes exactly `text` on. */
  readonly isLiteral: boolean
  /** Nothing but file names can be filled in: `text` is then a path with wildcards. */
  readonly isPath: boolean
  readonly startsWithTilde: boolean
  /** Filling it in makes the shell read the value of a variable as code: `$((x))`, `${x[y]}`, `${x@P}`. */
  readonly evaluates: boolean
  /** The commands of the substitutions inside. */
  readonly inner: readonly SimpleCommand[]
}

export interface Redirection {
  /** Without the file descriptor: `>`, `>>`, `<`, `<<`, `<<<`, `>&`, `&>` … */
  readonly operator: string
  /** A file, a descriptor, or the body of a here-document. */
  readonly target: Word
  /** Where the operator stands in the source of its command. */
  readonly start: number
  readonly end: number
}

export interface Assignment {
  readonly name: string
  readonly value: Word
}

export interface SimpleCommand {
  readonly source: string
  readonly assignments: readonly Assignment[]
  /** Empty for bare assignments and for redirections of a group. */
  readonly words: readonly Word[]
  readonly redirections: readonly Redirection[]
  /** Everything that feeds its standard input through pipes. */
  readonly pipedFrom: readonly SimpleCommand[]
  /** The head of a `for`: its assignments are what the variable will be, one after the other. */
  readonly isLoopHead?: boolean
}

/** Every word of a command: assigned, passed on, or redirected to. */
export const everyWord = (command: SimpleCommand): readonly Word[] => [
  ...command.assignments.map((assignment) => assignment.value),
  ...command.words,
  ...command.redirections.map((redirection) => redirection.target),
]

/** The commands found inside the substitutions of a command. */
export const innerCommands = (command: SimpleCommand): readonly SimpleCommand[] =>
  everyWord(command).flatMap((word) => word.inner)

/** Every simple command, those inside substitutions included. */
export function everyCommand(commands: readonly SimpleCommand[]): readonly SimpleCommand[] {
  return commands.flatMap((command) => [command, ...everyCommand(innerCommands(command))])
}

const deviceSinks = /^\/dev\/(?:null|zero|stdin|stdout|stderr|tty|fd\/\d+)$/

/** Reads or writes no file: a descriptor, a device without memory, or text that stands in the line itself. */
export function isHarmless(redirection: Redirection): boolean {
  const { operator, target } = redirection
  if (operator.startsWith('<<')) return true
  if (!target.isLiteral) return false
  if ((operator === '>&' || operator === '<&') && /^(?:\d+-?|-)$/.test(target.text)) return true
  return deviceSinks.test(target.text)
}

export const writesFile = (redirection: Redirection): boolean =>
  (redirection.operator.includes('>') || redirection.target.text.startsWith('/dev/tcp/')) && !isHarmless(redirection)
