// The possible effects of a call, shown to the person who approves it. A conservative guess: when in doubt, more
// effects.
import { type AgentTool, EffectClass } from '@quarterdeck/protocol'
import type { CheckedCall } from '../calls/checked-call.ts'
import { textField } from '../calls/rule-subject.ts'
import { type EffectiveCommand, effectiveCommands } from '../shell/commands/effective-commands.ts'
import { parseCommand } from '../shell/parser/parse-command.ts'
import { everyCommand, writesFile } from '../shell/parser/shell-syntax.ts'
import { canonicalToolName } from '../tools/available-tools.ts'

/** In the order of `EffectClass`, each once, never empty. */
export function classifyEffects(call: CheckedCall, hostTool: AgentTool['type'] | null = null): readonly EffectClass[] {
  const found = new Set((hostTool === null ? undefined : hostEffects[hostTool]) ?? effectsOf(call))
  return EffectClass.options.filter((effect) => found.has(effect))
}

/** For tools whose type determines their effects; functions and servers may do anything. */
const hostEffects: { readonly [Type in AgentTool['type']]?: readonly EffectClass[] } = {
  skill: ['read'],
  vectorstore: ['read'],
  hierarchical_document: ['read'],
  prompt: ['spend'],
}

const backendEffects: ReadonlyMap<string, readonly EffectClass[]> = new Map([
  ['Read', ['read']],
  ['Glob', ['read']],
  ['Grep', ['read']],
  ['Write', ['write']],
  ['Edit', ['write']],
  ['WebSearch', ['network']],
  ['Agent', ['spend']],
  ['SendMessage', ['spend']],
])

const unknownEffects: readonly EffectClass[] = ['read', 'write', 'network']

function effectsOf({ toolName, toolInput }: CheckedCall): readonly EffectClass[] {
  const tool = canonicalToolName(toolName)
  if (tool === 'Bash') return lineEffects(textField(toolInput, 'command') ?? '')
  return backendEffects.get(tool) ?? unknownEffects
}

const anything: readonly EffectClass[] = ['write', 'network', 'irreversible']

function lineEffects(line: string): readonly EffectClass[] {
  const parsed = parseCommand(line)
  if (parsed.type === 'not-understood') return anything
  const writes = everyCommand(parsed.commands).some((command) => command.redirections.some(writesFile))
  const effects = effectiveCommands(parsed.commands).flatMap(commandEffects)
  return writes ? [...effects, 'write'] : effects.length === 0 ? ['read'] : effects
}

const list = (names: string): ReadonlySet<string> => new Set(names.split(' '))

const readers = list(
  'ls cat head tail less more grep egrep fgrep rg find fd pwd echo printf wc sort uniq cut tr diff cmp stat file du df ' +
    'which type whoami id date uname env printenv tree jq true false test [ [[ cd basename dirname realpath readlink ' +
    'sha256sum md5sum ps sleep seq column nl od xxd time timeout nice nohup command exec xargs sh bash',
)
const networkers = list(
  'curl wget ssh scp sftp ftp nc ncat socat telnet ping dig nslookup gh glab aws gcloud az kubectl helm docker podman ' +
    'apt apt-get yum dnf apk brew pip pip3 pipx uv gem cargo composer aria2c rsync npx pnpx bunx terraform',
)
const destroyers = list(
  'rm rmdir shred unlink truncate dd mkfs fdisk parted wipefs kill killall pkill shutdown reboot halt poweroff dropdb',
)
const gitReaders = list('status log diff show branch blame rev-parse ls-files grep describe remote reflog shortlog')
const sqlLoss = /\b(?:drop\s+(?:table|database|schema|view|index)|truncate\s+(?:table\s+)?\w|delete\s+from)\b/i

function commandEffects(command: EffectiveCommand): readonly EffectClass[] {
  const { name } = command
  if (name === null) return anything
  const args = command.words.slice(1).map((word) => word.text)
  const text = args.join(' ')
  const effects: EffectClass[] = []
  const isLoss = destroyers.has(name) || name.startsWith('mkfs.') || isLossy(name, args) || sqlLoss.test(text)
  if (isLoss) effects.push('write', 'irreversible')
  if (networkers.has(name) || usesNetwork(name, args)) effects.push('network')
  if (isReader(name, args)) effects.push('read')
  else if (!effects.includes('write')) effects.push('write')
  return effects
}

function isReader(name: string, args: readonly string[]): boolean {
  if (name === 'git') return gitReaders.has(subcommand(args)) && !args.includes('-D') && !args.includes('-d')
  if (name === 'find') return !args.some((arg) => /^-(?:delete|fprint|exec|ok)/.test(arg))
  if (name === 'sort') return !args.some((arg) => /^(?:-o|--output)/.test(arg))
  return readers.has(name)
}

const subcommand = (args: readonly string[]): string => args.find((arg) => !arg.startsWith('-')) ?? ''

function usesNetwork(name: string, args: readonly string[]): boolean {
  const verb = subcommand(args)
  if (name === 'git') return ['push', 'pull', 'fetch', 'clone', 'ls-remote', 'submodule'].includes(verb)
  if (['npm', 'pnpm', 'yarn', 'bun'].includes(name)) {
    return /^(?:i|ci|add|install|update|upgrade|publish|unpublish|audit|outdated|view|dlx|exec|login)$/.test(verb)
  }
  return name === 'go' ? ['get', 'install', 'mod'].includes(verb) : false
}

/** Commands that are harmless with one subcommand and destructive with another. */
function isLossy(name: string, args: readonly string[]): boolean {
  const has = (...wanted: readonly string[]) => args.some((arg) => wanted.includes(arg))
  if (name === 'git') return isLossyGit(args)
  if (name === 'find') return has('-delete')
  if (['npm', 'pnpm', 'yarn'].includes(name)) return has('publish', 'unpublish', 'deprecate')
  if (['kubectl', 'helm', 'gh', 'aws', 'gcloud', 'az'].includes(name)) {
    return args.some((arg) => /^(?:delete|destroy|uninstall|terminate|rm|remove)/.test(arg))
  }
  if (name === 'terraform') return has('destroy', 'apply')
  if (name === 'docker' || name === 'podman') return has('rm', 'rmi', 'prune', 'push')
  return ['cargo', 'gem', 'twine'].includes(name) && has('publish', 'push', 'upload', 'yank')
}

function isLossyGit(args: readonly string[]): boolean {
  const has = (...wanted: readonly string[]) => args.some((arg) => wanted.includes(arg))
  const hasLike = (option: RegExp) => args.some((arg) => option.test(arg))
  const verb = subcommand(args)
  return (
    (verb === 'push' && (hasLike(/^(?:-[a-z]*f|--force|--delete|--mirror|\+|:)/) || has('-d', '--prune'))) ||
    (verb === 'reset' && has('--hard')) ||
    (verb === 'clean' && hasLike(/^(?:-[a-z]*f|--force)/)) ||
    (verb === 'branch' && hasLike(/^-[a-zA-Z]*D|^--delete/)) ||
    (verb === 'checkout' && has('--', '.', '-f', '--force')) ||
    verb === 'restore' ||
    (verb === 'stash' && has('drop', 'clear')) ||
    (['filter-branch', 'filter-repo', 'gc', 'reflog'].includes(verb) && has('expire', '--force', '-f', '--prune=now'))
  )
}
