// How DuckDB ran a query: operators, and how many rows each gave. From `EXPLAIN (ANALYZE, FORMAT JSON)`.
import { parseJson } from '@quarterdeck/protocol'

export interface PlanNode {
  /** `TABLE_SCAN`, `HASH_GROUP_BY`, … */
  readonly type: string
  readonly name: string
  /** Rows it gave. */
  readonly rows: number
  /** Rows there are in what it scans. */
  readonly scanned: number
  readonly table: string | null
  /** Of scans: the columns that are read. */
  readonly columns: readonly string[]
  /** Of joins: `person = id`. */
  readonly conditions: readonly string[]
  /** By what it groups; nothing where all is one group. */
  readonly groups: readonly string[]
  readonly aggregates: readonly string[]
  /** Of common table expressions: which one this is or reads. */
  readonly index: string | null
  readonly children: readonly PlanNode[]
}

/** `null` where this is no such plan. */
export function readPlan(json: string): PlanNode | null {
  const root = parseJson(json)
  return isRecord(root) && Array.isArray(root.children) && root.children.length > 0 ? readNode(root) : null
}

type Loose = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function readNode(node: Loose): PlanNode {
  const info = isRecord(node.extra_info) ? node.extra_info : {}
  const children = Array.isArray(node.children) ? node.children.filter(isRecord).map(readNode) : []
  const type = typeof node.operator_type === 'string' ? node.operator_type : 'ROOT'
  return {
    type,
    name: typeof node.operator_name === 'string' ? node.operator_name.trim() : type,
    rows: rowsOf(type, node, children),
    scanned: numberOf(node.operator_rows_scanned),
    table: textOf(info.Table),
    columns: listOf(info.Projections),
    conditions: listOf(info.Conditions),
    groups: listOf(info.Groups),
    aggregates: listOf(info.Aggregates),
    index: textOf(info['CTE Index']) ?? textOf(info['Table Index']),
    children,
  }
}

/** Operators that only pass on do not count. */
function rowsOf(type: string, node: Loose, children: readonly PlanNode[]): number {
  if (type === 'UNION') return children.reduce((sum, child) => sum + child.rows, 0)
  if (type === 'CTE') return children.at(-1)?.rows ?? 0
  return numberOf(node.operator_cardinality)
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** DuckDB writes one as a text and several as a list. */
const listOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string' && one !== '')
