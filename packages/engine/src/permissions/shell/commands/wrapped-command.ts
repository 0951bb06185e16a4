// Commands that run other commands, and where those are in their arguments.
import type { SimpleCommand, Word, WordPart } from '../parser/shell-syntax.ts'
import { ofGit } from './git-command.ts'
import { isShell, ofShell, ofSource } from './wrapped-shell.ts'
import {
  everySuffix,
  guess,
  nothing,
  ofScripts,
  ofShape,
  plain,
  shapes,
  unknown,
  type Wrapped,
} from './wrapper-shape.ts'

const guessed = new Set(
  (
    'watch ssh setarch linux32 linux64 i386 i686 x86_64 uname26 prlimit setpriv choom capsh chpst systemd-run ' +
    'tmux screen bwrap firejail proot faketime rlwrap entr hyperfine numactl cgexec unbuffer eatmydata torsocks ' +
    'proxychains ssh-agent gosu su-exec setuidgid softlimit tini dumb-init runcon chronic ifne xvfb-run ' +
    'dbus-run-session start-stop-daemon daemonize perf valgrind pkexec run0 sg nix-shell'
  ).split(' '),
)
const linker = /^ld(?:-linux|-musl|64|\.so|-)[\w.-]*$/
/** They read lines to run from their input or from a file, now or later. */
const scheduled = new Set(['at', 'batch', 'crontab'])

/** The commands that `name` runs besides itself. */
export function findWrapped(name: string, words: readonly Word[], origin: SimpleCommand): Wrapped {
  const args = words.slice(1)
  if (isShell(name)) return ofShell(args, origin)
  if (guessed.has(name) || (linker.test(name) && name.includes('.so'))) return guess(args)
  if (scheduled.has(name)) return args.some((word) => word.text === '-l') ? nothing : unknown
  switch (name) {
    case '.':
    case 'source':
      return ofSource(args, origin)
    case 'eval':
      return ofScript(args)
    case 'parallel':
      return ofParallel(args)
    case 'trap':
      return ofTrap(args)
    case 'jobs':
      return args[0]?.text === '-x' ? guess(args.slice(1)) : nothing
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
    case 'git':
      return ofGit(words)
    case 'tar':
    case 'bsdtar':
    case 'rsync':
      return args.some((word) => runsHelper.test(word.text)) ? guess(args.flatMap(helperOf)) : nothing
    default:
      return ofPackageRunner(name, args) ?? ofListed(name, args)
  }
}

const plainCommand = { ...plain, flags: 'p' }

function ofListed(name: string, args: readonly Word[]): Wrapped {
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined
  return shape === undefined ? nothing : ofShape(shape, args)
}

/** Options of archivers that name a program: a compressor, a remote shell, an action at a checkpoint. */
const runsHelper =
  /^(?:-[a-zA-Z]*[IFe]$|-I|--(?:use-comp|to-com|checkpoint-act|info-s|new-vol|rsh|rsync-path|rmt-com|rsh-com))/

const helperOf = (word: Word): readonly Word[] => {
  const text = word.text.replace(/^--[a-z-]+=(?:exec=)?|^-I/, '')
  return text === '' ? [] : [{ ...word, text }]
}

const packageVerbs: Readonly<Record<string, readonly string[]>> = {
  npm: ['exec', 'x'],
  pnpm: ['exec', 'dlx'],
  yarn: ['exec', 'dlx', 'run'],
  bun: ['x'],
  uv: ['run'],
  poetry: ['run'],
  pipenv: ['run'],
  bundle: ['exec'],
  direnv: ['exec'],
  corepack: ['npx'],
}

/** `npx x`, `npm exec -- x`, `npx -c 'line'`. */
function ofPackageRunner(name: string, args: readonly Word[]): Wrapped | null {
  if (['npx', 'pnpx', 'bunx', 'uvx'].includes(name)) return ofPackageCommand(args)
  const verbs = Object.hasOwn(packageVerbs, name) ? packageVerbs[name] : undefined
  const at = args.findIndex((word) => verbs?.includes(word.text) === true)
  return at === -1 ? null : ofPackageCommand(args.slice(at + 1))
}

function ofPackageCommand(args: readonly Word[]): Wrapped {
  const scripts = args.flatMap((word, index) => {
    const next = args[index + 1]
    if (/^--call=/.test(word.text)) return [{ word, script: word.text.slice(7) }]
    return /^(?:-c|--call)$/.test(word.text) && next !== undefined ? [{ word: next, script: next.text }] : []
  })
  return scripts.length > 0 ? ofScripts(scripts) : ofListed('npx', args)
}

/** All arguments together are one line. */
function ofScript(args: readonly Word[]): Wrapped {
  const line = args[0]?.text === '--' ? args.slice(1) : args
  if (line.length === 0) return nothing
  if (line.some((word) => !word.isLiteral)) return unknown
  return { ...nothing, scripts: [line.map((word) => word.text).join(' ')] }
}

/** Without a command before `:::`, the inputs are the commands. */
function ofParallel(args: readonly Word[]): Wrapped {
  const [first] = args
  const isPlain = first !== undefined && /^[^-:{]/.test(first.text) && !first.text.includes('{')
  const found = ofScript(args)
  return { ...found, runsUnknown: found.runsUnknown || !isPlain }
}

function ofTrap(args: readonly Word[]): Wrapped {
  if (/^-[lpP]+$/.test(args[0]?.text ?? '')) return nothing
  const action = args[0]?.text === '--' ? args[1] : args[0]
  return action === undefined ? nothing : ofScripts([{ word: action, script: action.text }])
}

function ofEnv(args: readonly Word[]): Wrapped {
  const at = args.findIndex((word) => /^(?:-[iv0]*S|--s(?:plit-string)?)/.test(word.text))
  if (at === -1) return ofListed('env', args)
  const attached = args[at]?.text.replace(/^(?:-[iv0]*S|--s[a-z-]*=?)/, '') ?? ''
  if (args.slice(at).some((word) => !word.isLiteral)) return unknown
  const line = [attached, ...args.slice(at + 1).map((word) => word.text)].join(' ').trim()
  return { ...ofListed('env', args.slice(0, at)), commands: [], scripts: [`env ${line}`] }
}

const hole: WordPart = { type: 'hole', text: '…' }
const fromInput: Word = {
  source: '…',
  text: '…',
  parts: [hole],
  isLiteral: false,
  isPath: false,
  startsWithTilde: false,
  evaluates: false,
  inner: [],
}

/** `xargs` adds arguments that it reads. With `-I` they can be anywhere, including the command word. */
function ofXargs(args: readonly Word[]): Wrapped {
  const found = ofListed('xargs', args)
  const replaced = args.flatMap((word, index) => replacement(word.text, args[index + 1]?.text))
  const isReplaced = (word: Word | undefined) => replaced.some((text) => word?.text.includes(text) === true)
  const filled = found.commands.map((words) => words.map((word) => (isReplaced(word) ? fromInput : word)))
  const runsUnknown = found.runsUnknown || found.commands.some((words) => isReplaced(words[0]))
  return { ...found, commands: filled.map((words) => [...words, fromInput]), runsUnknown }
}

function replacement(option: string, next: string | undefined): readonly string[] {
  const attached = /^(?:-[a-zA-Z0-9]*[IJ]|--r[a-z]*=|-i)(?<text>.+)$/.exec(option)?.groups?.text
  if (attached !== undefined) return [attached]
  if (/^-[a-zA-Z0-9]*[IJ]$/.test(option)) return next === undefined || next === '' ? [] : [next]
  return option === '-i' || /^--r[a-z]*$/.test(option) ? ['{}'] : []
}

function ofFind(args: readonly Word[]): Wrapped {
  const commands: (readonly Word[])[] = []
  args.forEach((word, index) => {
    if (!/^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(word.text)) return
    const rest = args.slice(index + 1)
    const end = rest.findIndex(({ text }) => text === ';' || text === '+')
    commands.push(rest.slice(0, end === -1 ? rest.length : end))
  })
  // A file name inserted into a shell line is parsed as part of it.
  const isFilledIn = commands.some((words) =>
    words.some((word, at) => word.text.includes('{}') && (at === 0 || /^-[a-zA-Z]*c$/.test(words[at - 1]?.text ?? ''))),
  )
  const isAttached = args.some((word) => /^--exec(?:-batch)?=/.test(word.text))
  return { ...nothing, commands, runsUnknown: isFilledIn || isAttached }
}

/** `su -c 'line'`, `script -qc 'line'`, `flock file command` or `flock file -c 'line'`. */
function ofCommandOption(args: readonly Word[]): Wrapped {
  const scripts = args.flatMap((word, index) => {
    if (/^--(?:session-)?command=/.test(word.text)) return [{ word, script: word.text.replace(/^[^=]*=/, '') }]
    const attached = /^-[a-zA-Z]*?c(?<script>.*\s.*)$/s.exec(word.text)?.groups?.script
    if (attached !== undefined) return [{ word, script: attached }]
    const next = args[index + 1]
    return /^(?:-[A-Za-z]*c|--(?:session-)?command)$/.test(word.text) && next ? [{ word: next, script: next.text }] : []
  })
  const found = ofScripts(scripts)
  if (scripts.length === 0) return everySuffix(args)
  return { ...found, scripts: [...found.scripts, ...everySuffix(args).scripts] }
}
