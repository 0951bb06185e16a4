// The tools of an agent file, resolved: paths absolute, schemas read, durations in milliseconds. They contain only the
// names of environment variables and headers, never their values.
import { z } from 'zod'
import { JsonObject } from '../values/json.ts'

/** As users write it. The model sees it with a prefix. */
const ToolName = z.string().regex(/^[0-9A-Za-z_]{1,64}$/)

const common = {
  name: ToolName,
  description: z.string(),
  /** Its failure ends the turn instead of being returned to the model. */
  isCritical: z.boolean(),
}

/** Absolute: a file, a folder or a pattern of documents. */
const source = z.string()

/** `warn`: a tool that cannot start is reported and left out. */
const onFailure = z.enum(['error', 'warn'])

export const FunctionTool = z.object({
  type: z.literal('function'),
  ...common,
  /** Absolute path of a TypeScript or JavaScript module. */
  file: z.string(),
  /** The export to call. */
  functionName: z.string(),
  /** JSON Schema of the input; `null`: the module exports one, as zod or as JSON Schema. */
  parameters: JsonObject.nullable(),
  /** Names of the variables it sees besides PATH and HOME. */
  env: z.array(z.string()),
  timeoutMs: z.int().positive(),
})
export type FunctionTool = z.infer<typeof FunctionTool>

export const McpTransport = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('stdio'),
    command: z.string(),
    args: z.array(z.string()),
    /** Names of the variables its process sees besides PATH and HOME. */
    env: z.array(z.string()),
    /** Absolute. */
    cwd: z.string(),
  }),
  z.object({
    type: z.enum(['http', 'sse']),
    url: z.string(),
    headers: z.array(z.string()),
    /** Ends the server's session when this end closes. */
    terminateOnClose: z.boolean(),
  }),
  /** A module whose export creates a server. It runs in a worker process, like functions. */
  z.object({ type: z.literal('in_process'), file: z.string(), functionName: z.string(), env: z.array(z.string()) }),
])
export type McpTransport = z.infer<typeof McpTransport>

export const McpTool = z.object({
  type: z.literal('mcp'),
  ...common,
  transport: McpTransport,
  /** The server's names of the tools that the agent gets; `null` for all. */
  allowedTools: z.array(z.string()).nullable(),
  disallowedTools: z.array(z.string()),
  connectTimeoutMs: z.int().positive(),
  requestTimeoutMs: z.int().positive(),
  onFailure,
  /** Its results count as retrieved context in tests. */
  isRetrieval: z.boolean(),
})
export type McpTool = z.infer<typeof McpTool>

export const PromptTool = z.object({
  type: z.literal('prompt'),
  ...common,
  /** `{{name}}` stands for a parameter. */
  template: z.string(),
  parameters: JsonObject,
  /** A full id; `null` for the agent's own. */
  model: z.string().nullable(),
  maxTokens: z.int().positive().nullable(),
  temperature: z.number().nullable(),
})
export type PromptTool = z.infer<typeof PromptTool>

/** Run by a client that is attached to the session. */
const ClientSideTool = z.object({ type: z.literal('client'), ...common, parameters: JsonObject })

/** Instructions that the model reads on demand. */
export const SkillTool = z.object({
  type: z.literal('skill'),
  ...common,
  /** Absolute folder with SKILL.md. */
  folder: z.string(),
})
export type SkillTool = z.infer<typeof SkillTool>

export const VectorstoreTool = z.object({
  type: z.literal('vectorstore'),
  ...common,
  source,
  onFailure,
  /** Structured mode: which fields of a record are searched, shown and used as its name. `null`: whole documents. */
  records: z
    .object({
      vectorFields: z.array(z.string()).min(1),
      idField: z.string(),
      metaFields: z.array(z.string()),
      recordPath: z.string().nullable(),
      recordPrefix: z.string(),
      metaPrefix: z.string(),
      fieldSeparator: z.string(),
      delimiter: z.string().nullable(),
    })
    .nullable(),
  chunkTokens: z.int().positive(),
  chunkOverlap: z.int().nonnegative(),
  topK: z.int().min(1).max(100),
  minScore: z.number().nullable(),
})
export type VectorstoreTool = z.infer<typeof VectorstoreTool>

export const HierarchicalDocumentTool = z.object({
  type: z.literal('hierarchical_document'),
  ...common,
  source,
  onFailure,
  chunking: z.enum(['structure', 'token']),
  maxChunkTokens: z.int().min(100).max(2000),
  chunkOverlap: z.int().min(0).max(200),
  maxSubsectionDepth: z.int().min(1).nullable(),
  searchMode: z.enum(['semantic', 'keyword', 'exact', 'hybrid']),
  topK: z.int().min(1).max(100),
  minScore: z.number().nullable(),
  weights: z.object({ semantic: z.number(), keyword: z.number(), exact: z.number() }),
  rrfK: z.int().min(1),
  /** Each passage is embedded with the headings above it. */
  contextualEmbeddings: z.boolean(),
  extractDefinitions: z.boolean(),
  extractCrossReferences: z.boolean(),
})
export type HierarchicalDocumentTool = z.infer<typeof HierarchicalDocumentTool>

export const RetrievalTool = z.discriminatedUnion('type', [VectorstoreTool, HierarchicalDocumentTool])
export type RetrievalTool = z.infer<typeof RetrievalTool>

/** Whether it searches documents. Also accepts tools as written in a file. */
export const isRetrievalTool = <Tool extends { readonly type: string }>(
  tool: Tool,
): tool is Extract<Tool, { readonly type: RetrievalTool['type'] }> =>
  tool.type === 'vectorstore' || tool.type === 'hierarchical_document'

export const AgentTool = z.discriminatedUnion('type', [
  FunctionTool,
  McpTool,
  PromptTool,
  ClientSideTool,
  SkillTool,
  VectorstoreTool,
  HierarchicalDocumentTool,
])
export type AgentTool = z.infer<typeof AgentTool>

/** The provider of embeddings. `local` needs no network: its weights come with the installation. */
export const EmbeddingSettings = z.object({
  provider: z.enum(['openai', 'azure_openai', 'ollama', 'local']),
  model: z.string(),
  endpoint: z.string().nullable(),
  apiVersion: z.string().nullable(),
  /** Sent to providers that can shorten their vectors; `null` for the model's default. */
  dimensions: z.int().min(1).max(10_000).nullable(),
})
export type EmbeddingSettings = z.infer<typeof EmbeddingSettings>

/** Offers the model only the tools that fit the message. Only on the in-process loop. */
export const ToolFiltering = z.object({
  topK: z.int().min(1).max(50),
  minScore: z.number().min(0).max(1),
  alwaysInclude: z.array(z.string()),
  alwaysIncludeMostUsed: z.int().min(0),
  method: z.enum(['semantic', 'bm25', 'hybrid']),
})
export type ToolFiltering = z.infer<typeof ToolFiltering>
