// The input of an analysis.
import { z } from 'zod'
import { ModelTier } from '../models/model-catalog.ts'
import { ClientCallId, SessionId } from '../values/ids.ts'

/** Any text: names of tables and columns come from files of people. */
const Name = z.string().min(1).max(500)

const Scalar = z.union([z.string().max(300), z.number(), z.boolean(), z.null()])

/**
 * Statistics of a column, from level 1 on. Single values are included only if they are the end of a range or frequent.
 */
export const ColumnSummary = z
  .object({
    /** The share of all rows, 0 to 1. */
    nullShare: z.number().min(0).max(1).optional(),
    /** The number of distinct values. */
    distinct: z.int().nonnegative().optional(),
    /** True if the values of a long table are estimated. */
    isDistinctApproximate: z.boolean().optional(),
    min: Scalar.optional(),
    max: Scalar.optional(),
    quartiles: z.array(Scalar).length(3).optional(),
    /** The most frequent values with their counts. */
    top: z
      .array(z.object({ value: Scalar, count: z.int().nonnegative() }))
      .max(20)
      .optional(),
  })
  .meta({ id: 'ColumnSummary' })
export type ColumnSummary = z.infer<typeof ColumnSummary>

const AnalyzedColumn = z.object({ name: Name, type: z.string().max(500), summary: ColumnSummary.optional() })

/** Unknown keys are removed, so they are not sent to the model either. */
export const AnalyzedTable = z
  .object({
    name: Name,
    rowCount: z.int().nonnegative().optional(),
    columns: z.array(AnalyzedColumn).max(2000),
    /** A few rows, from level 2 on. */
    sample: z.array(z.unknown()).max(20).optional(),
  })
  .meta({ id: 'AnalyzedTable' })
export type AnalyzedTable = z.infer<typeof AnalyzedTable>

const Tables = z.array(AnalyzedTable).min(1, 'must name at least one table').max(100)

const Question = z
  .string()
  .max(20_000)
  .refine((question) => question.trim() !== '', 'must not be empty')

/**
 * How much of the data may reach the model: 0 names and types, 1 also aggregates, 2 also a few rows, 3 also many. The
 * browser enforces it, and the prompt states it.
 */
export const PrivacyLevel = z.int().min(0).max(3)
export type PrivacyLevel = z.infer<typeof PrivacyLevel>

const AnalyzeFields = z.strictObject({
  question: Question.optional(),
  tables: Tables.optional(),
  tier: ModelTier.optional(),
  thinking: z.boolean().optional(),
  /** 2 if a table has a sample, otherwise 1. */
  level: PrivacyLevel.optional(),
  /** The session of an existing analysis. Without a question it is only woken. */
  sessionId: SessionId.optional(),
})

/** Without `sessionId` a new analysis starts, which needs a question and tables. */
export const AnalyzeBody = AnalyzeFields.superRefine((body, { addIssue }) => {
  const missing = (key: 'question' | 'tables') =>
    addIssue({ code: 'custom', path: [key], message: 'is needed for a new analysis' })
  if (body.sessionId === undefined && body.question === undefined) missing('question')
  if (body.sessionId === undefined && body.tables === undefined) missing('tables')
  for (const [index, { sample = [], columns }] of (body.tables ?? []).entries()) {
    const tooMuch = (key: string, what: string) =>
      addIssue({ code: 'custom', path: ['tables', index, key], message: `level ${body.level} sends no ${what}` })
    if (sample.length > 0 && (body.level ?? 2) < 2) tooMuch('sample', 'rows')
    if (body.level === 0 && columns.some(({ summary }) => summary !== undefined)) tooMuch('columns', 'summaries')
  }
}).meta({ id: 'Analyze' })
export type AnalyzeBody = z.infer<typeof AnalyzeBody>

export const AnalyzeStarted = z
  .object({ sessionId: SessionId, streamUrl: z.string(), toolToken: z.string() })
  .meta({ id: 'AnalyzeStarted' })
export type AnalyzeStarted = z.infer<typeof AnalyzeStarted>

/** Any JSON, or an error as text; without both the result is empty. */
export const ToolResultBody = z
  .strictObject({
    sessionId: SessionId,
    toolCallId: ClientCallId,
    result: z.unknown().optional(),
    error: z.string().max(100_000).nullish(),
  })
  .refine(({ result, error }) => result === undefined || result === null || typeof error !== 'string', {
    path: ['error'],
    error: 'must not go with a result',
  })
  .meta({ id: 'AnalysisToolResult' })
export type ToolResultBody = z.infer<typeof ToolResultBody>

export const ToolResultTaken = z
  .object({ sessionId: SessionId, toolCallId: ClientCallId })
  .meta({ id: 'AnalysisToolResultTaken' })

export const GenerateSqlBody = z
  .strictObject({ question: Question, tables: Tables, tier: ModelTier.optional() })
  .meta({ id: 'GenerateSql' })
export type GenerateSqlBody = z.infer<typeof GenerateSqlBody>

export const GeneratedSql = z
  .object({ sql: z.string(), explanation: z.string(), units: z.number(), costUsd: z.number().nullable() })
  .meta({ id: 'GeneratedSql' })
export type GeneratedSql = z.infer<typeof GeneratedSql>
