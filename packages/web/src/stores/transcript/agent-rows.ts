// The tree of agents as indented rows, lead first.
import {
  type AgentPath,
  type Costs,
  childrenOf,
  isBusyStatus,
  type SessionState,
  type SubagentNode,
  type SubagentTree,
} from '@quarterdeck/protocol'

export interface AgentRow {
  readonly key: string
  readonly name: string
  readonly activity: string
  readonly state: SessionState['status']
  /** Includes the cost of all agents below it. */
  readonly costUsd: number
  readonly hasUnpricedUsage: boolean
  readonly startedAt: string
  readonly endedAt: string | null
  readonly depth: number
  /** Levels whose line continues below this row. */
  readonly trunks: readonly number[]
  readonly hasChildren: boolean
  readonly isActive: boolean
}

export function agentRows(session: SessionState, tree: SubagentTree, costs: Costs): readonly AgentRow[] {
  const waiting = [...tree.values()].find((node) => node.status === 'waiting')
  const rows = rowsBelow({ tree, costs, seen: new Set() }, null, { depth: 1, open: [] })
  const isActive = isBusyStatus(session.status)
  const lead: AgentRow = {
    key: '',
    name: session.agentName,
    activity: waiting === undefined ? leadActivity(session) : `Waiting for ${waiting.agentType}`,
    state: session.status,
    costUsd: session.costUsd,
    hasUnpricedUsage: session.hasUnpricedUsage,
    startedAt: session.createdAt,
    endedAt: isActive ? null : session.updatedAt,
    depth: 0,
    trunks: [],
    hasChildren: rows.length > 0,
    isActive,
  }
  return [lead, ...rows]
}

interface Walk {
  readonly tree: SubagentTree
  readonly costs: Costs
  readonly seen: Set<string>
}

interface Level {
  readonly depth: number
  readonly open: readonly number[]
}

function rowsBelow(walk: Walk, parent: AgentPath, { depth, open }: Level): readonly AgentRow[] {
  const children = childrenOf(walk.tree, parent).filter((node) => !walk.seen.has(node.key))
  return children.flatMap((node, index) => {
    walk.seen.add(node.key)
    const trunks = index === children.length - 1 ? open : [...open, depth - 1]
    const below = rowsBelow(walk, [...node.path], { depth: depth + 1, open: trunks })
    return [{ ...rowOf(node, walk.costs), depth, trunks, hasChildren: below.length > 0 }, ...below]
  })
}

function rowOf(node: SubagentNode, costs: Costs): Omit<AgentRow, 'depth' | 'trunks' | 'hasChildren'> {
  const costRows = [...costs.byAgent].filter(([key]) => key === node.key || key.startsWith(`${node.key}/`))
  const { key, activity, status, startedAt, endedAt } = node
  return {
    key,
    name: node.agentType,
    activity,
    state: stateOf(status),
    costUsd: costRows.reduce((total, [, row]) => total + row.costUsd, 0),
    hasUnpricedUsage: costRows.some(([, row]) => row.hasUnpricedUsage),
    startedAt,
    endedAt,
    isActive: endedAt === null,
  }
}

function stateOf(status: SubagentNode['status']): AgentRow['state'] {
  switch (status) {
    case 'waiting':
      return 'waiting_approval'
    case 'done':
      return 'completed'
    default:
      return status
  }
}

function leadActivity(session: SessionState): string {
  const open = session.openTools.findLast((tool) => tool.agent === null)
  if (session.approvals.length > 0) return `Waiting for approval: ${session.approvals[0]?.toolName ?? ''}`
  if (session.questions.length > 0) return 'Waiting for an answer'
  return open === undefined || !isBusyStatus(session.status) ? session.activity : open.toolName
}
