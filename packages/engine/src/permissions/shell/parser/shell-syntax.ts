// The result of parsing a command line. See parse-command.ts.

/** `text` is passed on literally, a `glob` expands to file names, and a `hole` is known only to the shell. */
export interface WordPart {
  readonly type: 'text' | 'glob' | 'hole'
  readonly text: string
}

export interface Word {
  /** The source, including quotes. */
  readonly source: string
  /** Without quotes; expansions stay as written. */
  readonly text: string
  readonly parts: readonly WordPart[]
  /** The shell passes on exactly `text`. */
  readonly isLiteral: boolean
  /** Only file names can be inserted: `text` is then a path with wildcards. */
  readonly isPath: boolean
  readonly startsWithTilde: boolean
  /** Expanding it makes the shell evaluate a variable as code: `$((x))`, `${x[y]}`, `${x@P}`. */
  readonly evaluates: boolean
  /** The commands of the substitutions in it. */
  readonly inner: readonly SimpleCommand[]
}

export interface Redirection {
  /** Without the file descriptor: `>`, `>>`, `<`, `<<`, `<<<`, `>&`, `&>` … */
  readonly operator: string
  /** A file, a descriptor, or the body of a here-document. */
  readonly target: Word
  /** The position of the operator in the source of its command. */
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
  /** The commands that feed its standard input through pipes. */
  readonly pipedFrom: readonly SimpleCommand[]
  /** The head of a `for`: its assignments are the values of the variable, in order. */
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

/** Every simple command, including those inside substitutions. */
export function everyCommand(commands: readonly SimpleCommand[]): readonly SimpleCommand[] {
  return commands.flatMap((command) => [command, ...everyCommand(innerCommands(command))])
}

const deviceSinks = /^\/dev\/(?:null|zero|stdin|stdout|stderr|tty|fd\/\d+)$/

/** Accesses no file: a descriptor, a device without storage, or text in the line itself. */
export function isHarmless(redirection: Redirection): boolean {
  const { operator, target } = redirection
  if (operator.startsWith('<<')) return true
  if (!target.isLiteral) return false
  if ((operator === '>&' || operator === '<&') && /^(?:\d+-?|-)$/.test(target.text)) return true
  return deviceSinks.test(target.text)
}

export const writesFile = (redirection: Redirection): boolean =>
  (redirection.operator.includes('>') || redirection.target.text.startsWith('/dev/tcp/')) && !isHarmless(redirection)
