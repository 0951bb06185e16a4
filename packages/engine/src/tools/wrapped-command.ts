// Commands that run other commands, and where in their arguments those stand.
import type { SimpleCommand, Word, WordPart } from './shell-syntax.ts'

export interface Wrapped {
  /** Arguments that are a command of their own. */
  readonly commands: readonly (readonly Word[])[]
  /** Arguments that a shell will read as a line. */
  readonly scripts: readonly string[]
  /** It runs something that is not written in the line. */
  readonly runsUnknown: boolean
}

/** How to step over the options of a wrapper to the command behind them. */
interface WrapperShape {
  /** Letters and long names of options that take the next word. */
  readonly valued: string
  readonly valuedLong?: readonly string[]
  /** Options without a value. */
  readonly flags: string
  /** Words before the command: a duration, a mask, a new root. */
  readonly operands?: number
  readonly takesAssignments?: boolean
}

const plain: WrapperShape = { valued: '', flags: '' }

const shapes: Readonly<Record<string, WrapperShape>> = {
  '-': plain,
  '.': plain,
  builtin: plain,
  busybox: plain,
  caffeinate: { valued: 'tw', flags: 'dimsu' },
  chroot: { valued: '', flags: '', operands: 1 },
  chrt: { valued: 'TPD', flags: 'abdfimorv', operands: 1 },
  command: { valued: '', flags: 'p' },
  doas: { valued: 'Cu', flags: 'Lns' },
  env: { valued: 'uC', valuedLong: ['unset', 'chdir'], flags: 'i0v', takesAssignments: true },
  exec: { valued: 'a', flags: 'cl' },
  gtimeout: { valued: 'ks', valuedLong: ['kill-after', 'signal'], flags: 'fvp', operands: 1 },
  ionice: { valued: 'cn', valuedLong: ['class', 'classdata'], flags: 't' },
  ltrace: { valued: 'aeInopsul', flags: 'cCfhiLrStTV' },
  nice: { valued: 'n', valuedLong: ['adjustment'], flags: '0123456789' },
  nocorrect: plain,
  noglob: plain,
  nohup: plain,
  nsenter: { valued: 'tSG', flags: 'amuinpUCTFZrwe' },
  repeat: { valued: '', flags: '', operands: 1 },
  source: plain,
  setsid: { valued: '', flags: 'cfw' },
  stdbuf: { valued: 'ioe', valuedLong: ['input', 'output', 'error'], flags: '' },
  strace: { valued: 'abeIoOpPsSuUX', flags: 'AcCdDfFhiknqrtTvVwxyYzZ' },
  sudo: {
    valued: 'CDghpRrTtUu',
    valuedLong: ['user', 'group', 'host', 'prompt', 'chdir', 'chroot', 'role', 'type', 'other-user', 'close-from'],
    flags: 'AbBEeHiKklNnPSsVv',
    takesAssignments: true,
  },
  taskset: { valued: '', flags: 'a', operands: 1 },
  time: { valued: 'fo', valuedLong: ['format', 'output'], flags: 'apqvV' },
  timeout: { valued: 'ks', valuedLong: ['kill-after', 'signal'], flags: 'fvp', operands: 1 },
  toybox: plain,
  unshare: { valued: 'RwSG', flags: 'muinpUCTfrc' },
  xargs: {
    valued: 'adEILnPsJRS',
    valuedLong: ['arg-file', 'delimiter', 'max-lines', 'max-args', 'max-procs', 'max-chars', 'process-slot-var'],
    flags: '0oprtxie',
  },
}

const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'mksh', 'ash', 'fish', 'csh', 'tcsh', 'rbash', 'yash'])

export const isShell = (name: string): boolean => shells.has(name)

const nothing: Wrapped = { commands: [], scripts: [], runsUnknown: false }

/** What the command `name` runs besides itself. */
export function findWrapped(name: string, words: readonly Word[], origin: SimpleCommand): Wrapped {
  const args = words.slice(1)
  if (isShell(name)) return ofShell(args, origin)
  switch (name) {
    case 'eval':
    case 'parallel':
      return ofScript(args)
    case 'watch':
    case 'ssh':
      return { ...everySuffix(args), runsUnknown: args.length > maxGuesses || args.some((word) => !word.isLiteral) }
    case 'alias':
      return ofScripts(args.map((word) => ({ word, script: word.text.replace(/^[^=]*=?/, '') })))
    case 'trap':
      return ofScripts(args.slice(0, 1).map((word) => ({ word, script: word.text })))
    case 'find':
    case 'fd':
    case 'fdfind':
      return ofFind(args)
    case 'su':
    case 'runuser':
    case 'script':
    case 'flock':
      return ofCommandOption(args)
    case 'command':
      return args.some((word) => /^-[pvV]*[vV]/.test(word.text)) ? nothing : ofShape(plainCommand, args)
    case 'env':
      return ofEnv(args)
    case 'xargs':
      return ofXargs(args)
    default: {
      const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined
      return shape === undefined ? nothing : ofShape(shape, args)
    }
  }
}

const plainCommand: WrapperShape = { valued: '', flags: 'p' }

const maxGuesses = 16

/** Words an unknown option may or may not have taken: each may be where the command starts. */
function everySuffix(args: readonly Word[]): Wrapped {
  const guesses = args.slice(0, maxGuesses)
  return {
    commands: guesses.map((_, index) => args.slice(index)).filter((words) => words[0]?.isLiteral === true),
    scripts: guesses.filter((word) => word.isLiteral && /\s/.test(word.text)).map((word) => word.text),
    runsUnknown: args.length > maxGuesses,
  }
}

function ofShape(shape: WrapperShape, args: readonly Word[]): Wrapped {
  let at = 0
  let operands = shape.operands ?? 0
  for (; at < args.length; at += 1) {
    const word = args[at]
    if (word === undefined) break
    // Before the command a word of unknown length could be the command itself.
    if (!word.isLiteral && operands === 0) return { ...everySuffix(args.slice(at)), runsUnknown: true }
    if (word.text === '--') {
      at += 1 + operands
      break
    }
    if (word.text.startsWith('-') && word.text !== '-') {
      const step = optionStep(shape, word.text)
      if (step === null) return everySuffix(args.slice(at + 1))
      at += step
    } else if (shape.takesAssignments === true && /^[^=\s]+=/.test(word.text)) {
    } else if (operands > 0) operands -= 1
    else break
  }
  return at < args.length ? { ...nothing, commands: [args.slice(at)] } : nothing
}

/** How many words after this option belong to it; null when the option is not known. */
function optionStep(shape: WrapperShape, option: string): number | null {
  if (option.startsWith('--')) {
    if (option.includes('=')) return 0
    return shape.valuedLong?.includes(option.slice(2)) === true ? 1 : null
  }
  for (let index = 1; index < option.length; index += 1) {
    const letter = option[index] ?? ''
    if (shape.valued.includes(letter)) return index === option.length - 1 ? 1 : 0
    if (!shape.flags.includes(letter)) return null
  }
  return 0
}

function ofScripts(found: readonly { word: Word; script: string }[]): Wrapped {
  return {
    commands: [],
    scripts: found.filter(({ word }) => word.isLiteral).map(({ script }) => script),
    runsUnknown: found.some(({ word }) => !word.isLiteral),
  }
}

/** All arguments together are one line. */
function ofScript(args: readonly Word[]): Wrapped {
  if (args.length === 0) return nothing
  if (args.some((word) => !word.isLiteral)) return { ...nothing, runsUnknown: true }
  return { ...nothing, scripts: [args.map((word) => word.text).join(' ')] }
}

function ofEnv(args: readonly Word[]): Wrapped {
  const at = args.findIndex((word) => /^(?:-[iv0]*S|--split-string)/.test(word.text))
  const shape = shapes.env
  if (at === -1) return shape === undefined ? nothing : ofShape(shape, args)
  const attached = args[at]?.text.replace(/^(?:-[iv0]*S|--split-string=?)/, '') ?? ''
  if (args.slice(at).some((word) => !word.isLiteral)) return { ...nothing, runsUnknown: true }
  return { ...nothing, scripts: [[attached, ...args.slice(at + 1).map((word) => word.text)].join(' ').trim()] }
}

const hole: WordPart = { type: 'hole', text: '…' }
const fromInput: Word = {
  source: '…',
  text: '…',
  parts: [hole],
  isLiteral: false,
  isPath: false,
  startsWithTilde: false,
  inner: [],
}

/** `xargs` adds arguments it reads; with `-I` its command word can come from there too. */
function ofXargs(args: readonly Word[]): Wrapped {
  const shape = shapes.xargs
  if (shape === undefined) return nothing
  const found = ofShape(shape, args)
  const replaced = args.flatMap((word, index) => replacement(word.text, args[index + 1]?.text))
  const runsUnknown =
    found.runsUnknown || found.commands.some((words) => replaced.some((text) => words[0]?.text.includes(text) === true))
  return { commands: found.commands.map((words) => [...words, fromInput]), scripts: found.scripts, runsUnknown }
}

function replacement(option: string, next: string | undefined): readonly string[] {
  const attached = /^(?:-[IJ]|--replace=|-i)(?<text>.+)$/.exec(option)?.groups?.text
  if (attached !== undefined) return [attached]
  if (option === '-I' || option === '-J') return next === undefined || next === '' ? [] : [next]
  return option === '-i' || option === '--replace' ? ['{}'] : []
}

function ofFind(args: readonly Word[]): Wrapped {
  const commands: (readonly Word[])[] = []
  args.forEach((word, index) => {
    if (!/^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(word.text)) return
    const rest = args.slice(index + 1)
    const end = rest.findIndex(({ text }) => text === ';' || text === '+')
    commands.push(rest.slice(0, end === -1 ? rest.length : end))
  })
  const isFilledIn = commands.some((words) => words[0]?.text.includes('{}') === true)
  return { commands, scripts: [], runsUnknown: isFilledIn }
}

/** `su -c 'line'`, `script -qc 'line'`, `flock file command` or `flock file -c 'line'`. */
function ofCommandOption(args: readonly Word[]): Wrapped {
  const scripts = args.flatMap((word, index) => {
    if (/^--(?:session-)?command=/.test(word.text)) return [{ word, script: word.text.replace(/^[^=]*=/, '') }]
    const next = args[index + 1]
    return /^(?:-[A-Za-z]*c|--(?:session-)?command)$/.test(word.text) && next ? [{ word: next, script: next.text }] : []
  })
  const found = ofScripts(scripts)
  return { ...everySuffix(args), ...(scripts.length > 0 ? found : {}) }
}

function ofShell(args: readonly Word[], origin: SimpleCommand): Wrapped {
  let at = 0
  let takesScript = false
  for (; at < args.length; at += 1) {
    const word = args[at]
    if (word === undefined || !/^[-+]./.test(word.text) || word.text === '--') break
    if (!word.isLiteral) return { ...nothing, runsUnknown: true }
    if (/^-[A-Za-z]*c/.test(word.text) || word.text === '--command') takesScript = true
    if (/^[-+][A-Za-z]*[oO]$/.test(word.text) || /^--(?:rcfile|init-file)$/.test(word.text)) at += 1
  }
  if (args[at]?.text === '--') at += 1
  const first = args[at]
  if (takesScript) {
    if (first === undefined) return nothing
    return first.isLiteral ? { ...nothing, scripts: [first.text] } : { ...nothing, runsUnknown: true }
  }
  if (first !== undefined && !/^(?:-|\/dev\/stdin)$/.test(first.text)) {
    return first.isLiteral ? { ...nothing, commands: [args.slice(at)] } : { ...nothing, runsUnknown: true }
  }
  return ofStandardInput(origin)
}

/** A shell without a script reads its input: written in the line, or not known. */
function ofStandardInput(origin: SimpleCommand): Wrapped {
  const written = origin.redirections.filter(({ operator }) => operator.startsWith('<<')).map(({ target }) => target)
  const isFed = origin.pipedFrom.length > 0 || origin.redirections.some(({ operator }) => operator === '<')
  const found = ofScripts(written.map((word) => ({ word, script: word.text })))
  return { ...found, runsUnknown: found.runsUnknown || isFed }
}
