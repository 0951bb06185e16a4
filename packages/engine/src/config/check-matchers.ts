// A hook whose pattern fits no tool of its agent never runs: a guard that looks shut and stands open. Said only where it is
// certain: servers and clients bring tools whose names no file knows.
import type { AgentTool, BackendName, ClaudeSettings } from '@quarterdeck/protocol'
import { questionTool } from '../backends/question-tool.ts'
import { clientToolName } from '../client-tool.ts'
import { callNamesOf, mcpToolName } from '../host-tool.ts'
import { runBounded } from '../run-bounded.ts'
import { availableTools, knownTools } from '../tools/available-tools.ts'
import { asWritten } from './describe-issue.ts'
import { nearestName } from './nearest-name.ts'
import type { AgentContext } from './resolve-agent.ts'
import { formatPath } from './value-path.ts'

export interface OfferedTools {
  readonly backend: BackendName
  readonly claude: ClaudeSettings
  readonly tools: readonly AgentTool[]
}

/** Those that are about one tool. */
const toolEvents: readonly string[] = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'PermissionDenied',
]
const longestMatchMs = 500

export function checkMatchers(context: AgentContext, offered: OfferedTools): void {
  const { file, source } = context
  // One that could not be read may be the one that is meant.
  if ((file.tools ?? []).length !== offered.tools.length) return
  const names = namesOf(context, offered)
  for (const [index, { event, matcher }] of (file.hooks ?? []).entries()) {
    const path = ['hooks', index, 'matcher']
    if (matcher == null || !toolEvents.includes(event) || source.substitutions.has(formatPath(path))) continue
    const finding = findingOf(matcher, names)
    if (finding === null) continue
    const { suggestion } = finding
    const message = `"${formatPath(path)}": ${finding.message(asWritten(source, path, matcher))}`
    source.report({ severity: 'warning', code: 'config.no-effect', path, part: 'value', message, suggestion })
  }
}

interface Names {
  /** Every name that is certain. */
  readonly known: readonly string[]
  /** What the names of tools begin with that are not: those of servers and of clients. */
  readonly starts: readonly string[]
  readonly servers: readonly string[]
}

function namesOf({ file }: AgentContext, { backend, claude, tools }: OfferedTools): Names {
  const builtIn = backend === 'claude' ? availableTools(claude) : []
  const servers = tools.filter(({ type }) => type === 'mcp').map(({ name }) => name)
  return {
    known: [
      ...new Set([...builtIn, questionTool]),
      ...(builtIn.includes('Agent') ? ['Task'] : []),
      // By it the Claude backend gives a structured answer.
      ...(backend === 'claude' && file.response_format != null ? ['StructuredOutput'] : []),
      ...tools.flatMap((tool) => [
        tool.name,
        ...(tool.type === 'client' ? [clientToolName(tool.name)] : callNamesOf(tool)),
      ]),
    ],
    starts: [clientToolName(''), ...servers.map((server) => mcpToolName(server, ''))],
    servers,
  }
}

interface Finding {
  readonly message: (written: string) => string
  readonly suggestion: string | undefined
}

function findingOf(matcher: string, names: Names): Finding | null {
  const choices = choicesOf(matcher)
  const strange = choices.filter((choice) => !mayFit(choice, names))
  if (strange.length === choices.length) {
    const off = strange.find((choice) => knownTools.some((tool) => tool === choice))
    const why = off === undefined ? '' : ` (${off} is off)`
    const suggestion = strange.map((choice) => nearest(choice, names)).find((near) => near !== undefined)
    return { message: (written) => `${written} fits no tool of this agent${why}: the hook never runs`, suggestion }
  }
  // Beside one that fits, a name nobody has is left alone, unless it looks like a slip of the pen.
  for (const choice of strange) {
    const suggestion = nearest(choice, names)
    if (suggestion !== undefined) return { message: () => `no tool of this agent is called ${choice}`, suggestion }
  }
  return null
}

/** The parts between the outermost `|`; one pair of brackets around them all is taken off. */
function choicesOf(matcher: string): readonly string[] {
  const bare = /^\^?\((?:\?:)?([^()[\]\\]*)\)\$?$/.exec(matcher)?.[1] ?? matcher
  const choices = ['']
  let depth = 0
  for (const [part] of bare.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|./gs)) {
    if (part === '(') depth += 1
    if (part === ')') depth -= 1
    if (part === '|' && depth === 0) choices.push('')
    else choices.push(`${choices.pop() ?? ''}${part}`)
  }
  return choices.map((choice) => choice.replace(/^\^/, '').replace(/(?<!\\)\$$/, ''))
}

const plainName = /^[\w-]+$/

function mayFit(choice: string, { known, starts }: Names): boolean {
  try {
    const pattern = new RegExp(`^(?:${choice})$`)
    if (runBounded(() => known.some((name) => pattern.test(name)), longestMatchMs)) return true
  } catch {
    // Not a pattern by itself, or one that takes for ever: nothing is certain.
    return true
  }
  if (plainName.test(choice)) return starts.some((start) => choice.startsWith(start) && choice !== start)
  // Whatever it fits begins with this.
  const [, letters = '', repeat = ''] = /^([\w-]*)([*?{]?)/.exec(choice) ?? []
  const beginning = repeat === '' ? letters : letters.slice(0, -1)
  return starts.some((start) => start.startsWith(beginning) || beginning.startsWith(start))
}

function nearest(choice: string, { known, servers }: Names): string | undefined {
  const [, server] = /^mcp__([\w-]+?)__/.exec(choice) ?? []
  const meant = server === undefined ? undefined : nearestName(server, servers)
  if (server !== undefined && meant !== undefined) return choice.replace(server, () => meant)
  const near = plainName.test(choice) ? nearestName(choice, new Set([...known, ...knownTools])) : undefined
  return near === choice ? undefined : near
}
