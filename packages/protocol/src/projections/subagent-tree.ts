// The tree of subagents. The lead is not in it: its state is the session's.
import type { AgentPath } from '../events/envelope.ts'
import type { EventOfType, SessionEvent } from '../events/session-event.ts'
import type { ApprovalId } from '../values/ids.ts'
import { agentKey } from './costs.ts'

export interface SubagentNode {
  readonly key: string
  readonly path: readonly string[]
  readonly agentType: string
  readonly description: string
  readonly status: 'running' | 'waiting' | 'done' | 'failed' | 'interrupted'
  /** Its current activity, or its result. */
  readonly activity: string
  readonly startedAt: string
  readonly endedAt: string | null
  readonly toolCalls: number
  /** Its calls that wait for a person. */
  readonly asked: readonly AskedCall[]
  /** Its parent was never announced: shown separately, never dropped. */
  readonly isUnattached: boolean
}

interface AskedCall {
  readonly approvalId: ApprovalId
  readonly toolUseId: string
  readonly toolName: string
}

/** By key, in the order of their start. */
export type SubagentTree = ReadonlyMap<string, SubagentNode>

export const emptySubagentTree: SubagentTree = new Map()

export const childrenOf = (tree: SubagentTree, parent: AgentPath): readonly SubagentNode[] =>
  [...tree.values()].filter((node) =>
    node.isUnattached
      ? parent === null
      : agentKey(node.path.length === 1 ? null : node.path.slice(0, -1)) === agentKey(parent),
  )

export function foldSubagentTree(tree: SubagentTree, events: readonly SessionEvent[]): SubagentTree {
  const nodes = new Map(tree)
  for (const event of events) apply(nodes, event)
  return nodes
}

function apply(nodes: Map<string, SubagentNode>, event: SessionEvent): void {
  if (event.type === 'SubagentStarted') return start(nodes, event)
  if (event.type === 'TurnEnded' || event.type === 'AgentSessionRecovered') return settleRunning(nodes, event.at)
  if (event.agent === null) return
  const key = agentKey(event.agent)
  const node = nodes.get(key) ?? unattached(event.agent, event.at)
  nodes.set(key, { ...node, ...changeOf(node, event) })
}

function start(nodes: Map<string, SubagentNode>, event: EventOfType<'SubagentStarted'>): void {
  const path = event.agent ?? [event.data.parentToolUseId]
  const parentKey = agentKey(path.length === 1 ? null : path.slice(0, -1))
  const { agentType, description } = event.data
  const earlier = nodes.get(agentKey(path))
  nodes.set(agentKey(path), {
    ...(earlier ?? unattached(path, event.at)),
    agentType,
    description,
    activity: description,
    isUnattached: parentKey !== '' && !nodes.has(parentKey),
  })
}

const unattached = (path: readonly string[], at: string): SubagentNode => ({
  key: agentKey([...path]),
  path,
  agentType: 'Unattached',
  description: '',
  status: 'running',
  activity: '',
  startedAt: at,
  endedAt: null,
  toolCalls: 0,
  asked: [],
  isUnattached: true,
})

function changeOf(node: SubagentNode, event: SessionEvent): Partial<SubagentNode> {
  switch (event.type) {
    case 'AgentInvokedTool':
      return { activity: event.data.toolName, toolCalls: node.toolCalls + 1 }
    case 'SubagentThought':
      return { activity: event.data.text.split('\n', 1)[0] ?? '' }
    case 'ApprovalRequested': {
      const { approvalId, toolUseId, toolName } = event.data
      const asked = [...node.asked, { approvalId, toolUseId, toolName }]
      return { status: 'waiting', activity: `Waits: ${toolName}`, asked }
    }
    case 'ApprovalDecided':
    case 'ApprovalExpired':
      return answer(node, (call) => call.approvalId === event.data.approvalId)
    case 'ToolExecuted':
      return answer(node, (call) => call.toolUseId === event.data.toolUseId)
    case 'SubagentStopped': {
      const status = event.data.isError ? 'failed' : 'done'
      return { status, activity: event.data.summary.split('\n', 1)[0] ?? '', endedAt: event.at, asked: [] }
    }
    default:
      return {}
  }
}

/** Continues with the answered call, or waits for the next open one. */
function answer(node: SubagentNode, isAnswered: (call: AskedCall) => boolean): Partial<SubagentNode> {
  const answered = node.asked.find(isAnswered)
  if (answered === undefined) return {}
  const asked = node.asked.filter((call) => call !== answered)
  const next = asked.at(-1)
  if (next !== undefined) return { asked, activity: `Waits: ${next.toolName}` }
  return { asked, status: 'running', activity: answered.toolName }
}

function settleRunning(nodes: Map<string, SubagentNode>, at: string): void {
  for (const [key, node] of nodes) {
    if (node.endedAt === null) nodes.set(key, { ...node, status: 'interrupted', endedAt: at, asked: [] })
  }
}
