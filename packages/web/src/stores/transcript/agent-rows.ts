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
  const lead: AgentRow = {
    key: '',
    name: session.agentName,
    activity: waiting === undefined ? leadActivity(session) : `Waiting for ${waiting.agentType}`,
    state: session.status,
    costUsd: session.costUsd,
    hasUnpricedUsage: session.hasUnpricedUsage,
    startedAt: session.createdAt,
    endedAt: isBusyStatus(session.status) ? null : session.updatedAt,
    depth: 0,
    trunks: [],
    hasChildren: false,
    isActive: isBusyStatus(session.status),
  }
  const rows: AgentRow[] = []
  walk({ tree, costs, rows, seen: new Set() }, null, { depth: 1, open: [] })
  return [{ ...lead, hasChildren: rows.length > 0 }, ...rows]
}

interface Walk {
  readonly tree: SubagentTree
  readonly costs: Costs
  readonly rows: AgentRow[]
  readonly seen: Set<string>
}

function walk(into: Walk, parent: AgentPath, level: { depth: number; open: readonly number[] }): void {
  const { depth, open } = level
  const children = childrenOf(into.tree, parent).filter((node) => !into.seen.has(node.key))
  children.forEach((node, index) => {
    into.seen.add(node.key)
    const trunks = index === children.length - 1 ? open : [...open, depth - 1]
    const at = into.rows.length
    into.rows.push({ ...rowOf(node, into.costs), depth, trunks, hasChildren: false })
    walk(into, [...node.path], { depth: depth + 1, open: trunks })
    const row = into.rows[at]
    if (row !== undefined && into.rows.length > at + 1) into.rows[at] = { ...row, hasChildren: true }
  })
}

function rowOf(node: SubagentNode, costs: Costs): Omit<AgentRow, 'depth' | 'trunks' | 'hasChildren'> {
  const costRows = [...costs.byAgent].filter(([key]) => key === node.key || key.startsWith(`${node.key}/`))
  const costUsd = costRows.reduce((total, [, row]) => total + row.costUsd, 0)
  const hasUnpricedUsage = costRows.some(([, row]) => row.hasUnpricedUsage)
  const { key, activity, startedAt, endedAt } = node
  const isActive = node.endedAt === null
  return {
    key,
    name: node.agentType,
    activity,
    state: stateOf(node),
    costUsd,
    hasUnpricedUsage,
    startedAt,
    endedAt,
    isActive,
  }
}

function stateOf(node: SubagentNode): AgentRow['state'] {
  switch (node.status) {
    case 'waiting':
      return 'waiting_approval'
    case 'done':
      return 'completed'
    default:
      return node.status
  }
}

function leadActivity(session: SessionState): string {
  const open = session.openTools.findLast((tool) => tool.agent === null)
  if (session.approvals.length > 0) return `Waiting for approval: ${session.approvals[0]?.toolName ?? ''}`
  if (session.questions.length > 0) return 'Waiting for an answer'
  return open === undefined || !isBusyStatus(session.status) ? session.activity : open.toolName
}
