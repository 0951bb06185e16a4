// Who works for whom. The lead is not in the tree: its state is the session's.
import type { AgentPath } from '../events/envelope.ts'
import type { EventOfType, SessionEvent } from '../events/session-event.ts'
import { agentKey } from './costs.ts'

export interface SubagentNode {
  readonly key: string
  readonly path: readonly string[]
  readonly agentType: string
  readonly description: string
  readonly status: 'running' | 'waiting' | 'done' | 'failed' | 'interrupted'
  /** What it does now, or what it found. */
  readonly activity: string
  readonly startedAt: string
  readonly endedAt: string | null
  readonly toolCalls: number
  /** Its parent was never announced: shown on its own, never dropped. */
  readonly isUnattached: boolean
}

/** By key, in the order they started. */
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
    ...{ agentType, description, activity: description },
    isUnattached: parentKey !== '' && !nodes.has(parentKey),
  })
}

function unattached(path: readonly string[], at: string): SubagentNode {
  return {
    key: agentKey([...path]),
    path,
    agentType: 'Unattached',
    description: '',
    status: 'running',
    activity: '',
    startedAt: at,
    endedAt: null,
    toolCalls: 0,
    isUnattached: true,
  }
}

function changeOf(node: SubagentNode, event: SessionEvent): Partial<SubagentNode> {
  switch (event.type) {
    case 'AgentInvokedTool':
      return { activity: event.data.toolName, toolCalls: node.toolCalls + 1 }
    case 'SubagentThought':
      return { activity: event.data.text.split('\n', 1)[0] ?? '' }
    case 'ApprovalRequested':
      return { status: 'waiting', activity: `Waits: ${event.data.toolName}` }
    case 'ApprovalDecided':
    case 'ApprovalExpired':
    case 'ToolExecuted':
      return node.status === 'waiting' ? { status: 'running' } : {}
    case 'SubagentStopped': {
      const status = event.data.isError ? 'failed' : 'done'
      return { status, activity: event.data.summary.split('\n', 1)[0] ?? '', endedAt: event.at }
    }
    default:
      return {}
  }
}

function settleRunning(nodes: Map<string, SubagentNode>, at: string): void {
  for (const [key, node] of nodes) {
    if (node.endedAt === null) nodes.set(key, { ...node, status: 'interrupted', endedAt: at })
  }
}
