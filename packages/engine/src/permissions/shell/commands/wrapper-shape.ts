// Skips the options of a wrapper to find the command behind them.
import type { Assignment, Word } from '../parser/shell-syntax.ts'

export interface Wrapped {
  /** Arguments that are a separate command. */
  readonly commands: readonly (readonly Word[])[]
  /** Arguments that a shell will parse as a line. */
  readonly scripts: readonly string[]
  /** Variables that it sets for them. */
  readonly assignments: readonly Assignment[]
  /** It runs something that the line does not contain. */
  readonly runsUnknown: boolean
}

export const nothing: Wrapped = { commands: [], scripts: [], assignments: [], runsUnknown: false }
export const unknown: Wrapped = { ...nothing, runsUnknown: true }

/** How to skip the options of a wrapper. */
export interface WrapperShape {
  /** Letters and long names of options that take the next word as their value. */
  readonly valued: string
  readonly valuedLong?: readonly string[]
  /** Options without a value. */
  readonly flags: string
  /** Words before the command: a duration, a mask, a new root. */
  readonly operands?: number
  readonly takesAssignments?: boolean
}

export const plain: WrapperShape = { valued: '', flags: '' }

export const shapes: Readonly<Record<string, WrapperShape>> = {
  '-': plain,
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
  fakeroot: { valued: 'lsib', flags: 'uhv' },
  ionice: { valued: 'cn', valuedLong: ['class', 'classdata'], flags: 't' },
  ltrace: { valued: 'aeInopsul', flags: 'cCfhiLrStTV' },
  nice: { valued: 'n', valuedLong: ['adjustment'], flags: '0123456789' },
  newgrp: { valued: '', flags: '', operands: 1 },
  nocorrect: plain,
  noglob: plain,
  nohup: plain,
  npx: { valued: 'pw', valuedLong: ['package', 'workspace'], flags: 'yq' },
  nsenter: { valued: 'tSG', flags: 'amuinpUCTFZrwe' },
  repeat: { valued: '', flags: '', operands: 1 },
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

/** For a wrapper with unknown options: any word that is not literal may be the command. */
export const guess = (args: readonly Word[]): Wrapped => ({
  ...everySuffix(args),
  runsUnknown: args.length > maxGuesses || args.some((word) => !word.isLiteral),
})

const maxGuesses = 16

/** Words that an unknown option may have consumed: the command may start at each of them. */
export function everySuffix(args: readonly Word[]): Wrapped {
  const guesses = args.slice(0, maxGuesses)
  return {
    ...nothing,
    commands: guesses.map((_, index) => args.slice(index)).filter((words) => words[0]?.isLiteral === true),
    scripts: guesses.filter((word) => word.isLiteral && /\s/.test(word.text)).map((word) => word.text),
    runsUnknown: args.length > maxGuesses,
  }
}

export function ofShape(shape: WrapperShape, args: readonly Word[]): Wrapped {
  let at = 0
  let operands = shape.operands ?? 0
  for (; at < args.length; at += 1) {
    const word = args[at]
    if (word === undefined) break
    // Before the command, a word that is not literal could be the command itself.
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
  const assignments = shape.takesAssignments === true ? args.slice(0, at).flatMap(assignmentOf) : []
  return { ...nothing, assignments, commands: at < args.length ? [args.slice(at)] : [] }
}

/** How many of the following words belong to this option; null if the option is unknown. */
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

/** `env NAME=value`. Only a plain name is a shell variable. */
function assignmentOf(word: Word): readonly Assignment[] {
  const name = /^(?<name>[A-Za-z_][A-Za-z0-9_]*)=/.exec(word.text)?.groups?.name
  return name === undefined ? [] : [{ name, value: { ...word, text: word.text.slice(name.length + 1) } }]
}

export function ofScripts(found: readonly { word: Word; script: string }[]): Wrapped {
  return {
    ...nothing,
    scripts: found.filter(({ word }) => word.isLiteral).map(({ script }) => script),
    runsUnknown: found.some(({ word }) => !word.isLiteral),
  }
}
