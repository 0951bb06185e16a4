// Parses DuckDB's `EXPLAIN (ANALYZE, FORMAT JSON)`: operators and the rows that each returned.
import { isRecord, parseJson } from '@quarterdeck/protocol'

export interface PlanNode {
  /** `TABLE_SCAN`, `HASH_GROUP_BY`, … */
  readonly type: string
  readonly name: string
  /** Rows that it returned. */
  readonly rows: number
  /** Rows of the scanned table. */
  readonly scanned: number
  readonly table: string | null
  /** For scans: the columns that are read. */
  readonly columns: readonly string[]
  /** For joins: `person = id`. */
  readonly conditions: readonly string[]
  /** The grouping expressions; empty for a single group. */
  readonly groups: readonly string[]
  readonly aggregates: readonly string[]
  /** For common table expressions: the one that this is or reads. */
  readonly index: string | null
  readonly children: readonly PlanNode[]
}

/** `null` if this is not such a plan. */
export function readPlan(json: string): PlanNode | null {
  const root = parseJson(json)
  return isRecord(root) && Array.isArray(root.children) && root.children.length > 0 ? readNode(root) : null
}

type Loose = Readonly<Record<string, unknown>>

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

/** Skips operators that only pass rows through. */
function rowsOf(type: string, node: Loose, children: readonly PlanNode[]): number {
  if (type === 'UNION') return children.reduce((sum, child) => sum + child.rows, 0)
  if (type === 'CTE') return children.at(-1)?.rows ?? 0
  return numberOf(node.operator_cardinality)
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** DuckDB writes a single value as text and several as a list. */
const listOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string' && one !== '')
