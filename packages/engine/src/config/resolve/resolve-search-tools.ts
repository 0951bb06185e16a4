// Tools that search documents. Resolves their location; sessions read the documents, and `validate` checks them.
import { dirname, join } from 'node:path'
import type { HierarchicalDocumentTool, VectorstoreTool } from '@quarterdeck/protocol'
import { defaultSearch } from '../../retrieval/default-search.ts'
import { findSources, SourceProblem } from '../../retrieval/reading/find-sources.ts'
import type { AgentContext } from '../agent-context.ts'
import { type NamedFile, nearestPath, reportUnusable } from '../check/check-named-files.ts'
import { formatPath, type Path } from '../problems/value-path.ts'
import type { HierarchicalBlock, VectorstoreBlock } from '../schema/tools-block.ts'
import { resolveProjectPath } from './resolve-instructions.ts'
import { commonToolFields } from './resolved-tool.ts'

export async function resolveVectorstore(
  context: AgentContext,
  block: VectorstoreBlock,
  path: Path,
): Promise<VectorstoreTool> {
  checkDatabase(context, block, path)
  const chunkTokens = block.chunk_size ?? 512
  const chunkOverlap = block.chunk_overlap ?? Math.min(50, Math.floor(chunkTokens / 4))
  checkOverlap(context, { overlap: chunkOverlap, size: chunkTokens, path })
  return {
    type: 'vectorstore',
    ...commonToolFields(block),
    source: await resolveSource(context, block, [...path, 'source']),
    onFailure: block.on_failure ?? 'error',
    records: resolveRecords(context, block, path),
    chunkTokens,
    chunkOverlap,
    topK: block.top_k ?? 5,
    minScore: block.min_similarity_score ?? null,
  }
}

const recordFields = [
  'id_field',
  'meta_fields',
  'record_path',
  'record_prefix',
  'meta_prefix',
  'field_separator',
  'delimiter',
] as const

function resolveRecords({ source }: AgentContext, block: VectorstoreBlock, path: Path): VectorstoreTool['records'] {
  const { vector_field: fields, id_field: idField } = block
  if (fields == null) {
    for (const key of recordFields.filter((name) => block[name] != null)) {
      source.warnNoEffectIn([...path, key], 'without vector_field')
    }
    return null
  }
  if (idField == null) {
    source.refuseMissing([...path, 'id_field'], 'vector_field needs it')
  }
  return {
    vectorFields: typeof fields === 'string' ? [fields] : fields,
    idField: idField ?? '',
    metaFields: block.meta_fields ?? [],
    recordPath: block.record_path ?? null,
    recordPrefix: block.record_prefix ?? '',
    metaPrefix: block.meta_prefix ?? '',
    fieldSeparator: block.field_separator ?? '\n',
    delimiter: block.delimiter ?? null,
  }
}

export async function resolveHierarchical(
  context: AgentContext,
  block: HierarchicalBlock,
  path: Path,
): Promise<HierarchicalDocumentTool> {
  checkDatabase(context, block, path)
  const maxChunkTokens = block.max_chunk_tokens ?? defaultSearch.maxChunkTokens
  const chunkOverlap = block.chunk_overlap ?? defaultSearch.chunkOverlap
  checkOverlap(context, { overlap: chunkOverlap, size: maxChunkTokens, path })
  return {
    type: 'hierarchical_document',
    ...commonToolFields(block),
    source: await resolveSource(context, block, [...path, 'source']),
    onFailure: block.on_failure ?? 'error',
    chunking: block.chunking_strategy ?? defaultSearch.chunking,
    maxChunkTokens,
    chunkOverlap,
    maxSubsectionDepth: block.max_subsection_depth ?? defaultSearch.maxSubsectionDepth,
    searchMode: block.search_mode ?? defaultSearch.searchMode,
    topK: block.top_k ?? defaultSearch.topK,
    minScore: block.min_score ?? defaultSearch.minScore,
    weights: resolveWeights(context, block, path),
    rrfK: block.rrf_k ?? defaultSearch.rrfK,
    contextualEmbeddings: block.contextual_embeddings ?? defaultSearch.contextualEmbeddings,
    extractDefinitions: block.extract_definitions ?? defaultSearch.extractDefinitions,
    extractCrossReferences: block.extract_cross_references ?? defaultSearch.extractCrossReferences,
  }
}

function resolveWeights(
  { source }: AgentContext,
  block: HierarchicalBlock,
  path: Path,
): HierarchicalDocumentTool['weights'] {
  const weights = {
    semantic: block.semantic_weight ?? defaultSearch.weights.semantic,
    keyword: block.keyword_weight ?? defaultSearch.weights.keyword,
    exact: block.exact_weight ?? defaultSearch.weights.exact,
  }
  if ((block.search_mode ?? defaultSearch.searchMode) !== 'hybrid') return weights
  const sum = weights.semantic + weights.keyword + weights.exact
  const at = [...path, 'semantic_weight']
  const refuse = (message: string): void => source.refuse(at, message)
  if (Math.abs(sum - 1) > 1e-6) {
    refuse(
      `the weights of "${block.name}" must add up to 1; the sum of semantic, keyword and exact is ${Number(sum.toFixed(6))}`,
    )
  } else if (weights.semantic + weights.keyword === 0) {
    refuse(`semantic_weight and keyword_weight of "${block.name}" must not both be 0`)
  }
  return weights
}

async function resolveSource(
  context: AgentContext,
  block: VectorstoreBlock | HierarchicalBlock,
  path: Path,
): Promise<string> {
  const target = await absoluteSource(context, block.source, path)
  if (context.options.checksFiles === true && target !== null)
    await checkSource(context, { target, path, severity: block.on_failure === 'warn' ? 'warning' : 'error' })
  return target ?? ''
}

/** Reports the problem a session would have: an error if no session can open, a warning if the tool is left out. */
async function checkSource(context: AgentContext, named: NamedFile): Promise<void> {
  const { target, path } = named
  try {
    const { files } = await findSources(target, { projectFolder: dirname(context.source.file), dataDir: null })
    if (files.length === 0) reportUnusable(context, named, { reason: 'it contains no readable documents' })
  } catch (error) {
    if (error instanceof SourceProblem && error.reason === 'missing') {
      const suggestion = await nearestPath(context, path, target)
      reportUnusable(context, named, { reason: 'there is no such file or folder', suggestion })
      return
    }
    // Without its location, which may come from the environment.
    reportUnusable(context, named, {
      reason: error instanceof SourceProblem ? `it ${error.fault}` : 'it cannot be read',
    })
  }
}

/** A pattern stays a pattern below a checked folder. `null` if it was refused. */
async function absoluteSource(context: AgentContext, written: string, path: Path): Promise<string | null> {
  const refuse = (message: string): null => {
    context.source.report({ severity: 'error', code: 'config.unsupported', path, part: 'value', message })
    return null
  }
  const scheme = /^(?<scheme>[a-z][a-z0-9+.-]+):\/\//i.exec(written)?.groups?.scheme
  if (scheme !== undefined && scheme !== 'file') return refuse(`not supported yet: a source at ${scheme}://`)
  const local = scheme === 'file' ? decodeURIComponent(written.slice('file://'.length)) : written
  const segments = local.split('/')
  const firstPattern = segments.findIndex((segment) => /[*?[\]{}]/.test(segment))
  if (firstPattern === -1) return await resolveProjectPath(context, local, path)
  const fixed = segments.slice(0, firstPattern).join('/') || (local.startsWith('/') ? '/' : '.')
  const folder = await resolveProjectPath(context, fixed, path)
  if (segments.slice(firstPattern).includes('..')) {
    return refuse(`not supported yet: ".." after a pattern`)
  }
  return folder === null ? null : join(folder, ...segments.slice(firstPattern))
}

function checkOverlap(
  { source }: AgentContext,
  { overlap, size, path }: { overlap: number; size: number; path: Path },
): void {
  if (overlap < size) return
  const message = `"${formatPath([...path, 'chunk_overlap'])}" must be smaller than a passage (${size} tokens)`
  source.refuseValue([...path, 'chunk_overlap'], message)
}

const embedded = ['in-memory', 'sqlite']

/** An external database is refused, or ignored with a warning if the tool has `on_failure: warn`. */
function checkDatabase({ source }: AgentContext, block: VectorstoreBlock | HierarchicalBlock, path: Path): void {
  const { database } = block
  const at = [...path, 'database']
  if (database == null) return
  if (typeof database === 'string') {
    source.refuseValue(at, `config.yaml has no vectorstore named "${database}"`)
    return
  }
  const isWarning = block.on_failure === 'warn'
  if (!embedded.includes(database.provider)) {
    const message = isWarning
      ? `database ${database.provider} is not supported yet: the store in the data folder is used instead`
      : `not supported yet: database ${database.provider}; remove it to use the store in the data folder, or set on_failure: warn`
    const severity = isWarning ? 'warning' : 'error'
    source.report({ severity, code: 'config.unsupported', path: [...at, 'provider'], part: 'value', message })
    return
  }
  for (const key of Object.keys(database).filter((name) => name !== 'provider')) {
    source.warnNoEffect([...at, key], 'the store is in the data folder')
  }
}
