// The settings of `vectorstore` and `hierarchical_document` tools.
import { z } from 'zod'
import { booleanSetting, optionalSetting, text } from './setting-schemas.ts'

const share = z.number().min(0).max(1)

const source = text.describe('A file, a folder or a pattern of documents: .txt .md .html .csv .json .jsonl.')
const topK = z.int().min(1).max(100)

/** Extra keys belong to external databases, which are refused by name. */
export const DatabaseBlock = z.looseObject({
  provider: text.describe('`in-memory` or `sqlite`: the store in the data folder. Others are not supported yet.'),
  connection_string: optionalSetting(z.string(), 'For an external database; the embedded store has none.'),
})

const database = optionalSetting(
  z.union([text, DatabaseBlock], { error: 'expected the name of a vectorstore of config.yaml, or a map' }),
  'Where vectors are stored: the embedded store, as a map or as a name of `vectorstores` in config.yaml.',
)

const embeddingModel = optionalSetting(text, 'Like `embedding_provider.name`; the same for all search tools.')

export const vectorstoreFields = {
  source,
  vector_field: optionalSetting(
    z.union([text, z.array(text).min(1)], { error: 'expected a field or a list of fields' }),
    'For records (.csv, .json): the fields to search. Needs `id_field`.',
  ),
  id_field: optionalSetting(text, 'The field that identifies a record.'),
  meta_fields: optionalSetting(z.array(text), 'Fields shown with each result.'),
  record_path: optionalSetting(text, 'The path of the records in a .json file, such as `data.items`.'),
  record_prefix: optionalSetting(z.string(), 'Prefix of the name of each searched field.'),
  meta_prefix: optionalSetting(z.string(), 'Prefix of the name of each shown field.'),
  field_separator: optionalSetting(z.string(), 'Text between the searched fields. Default: a line break.'),
  delimiter: optionalSetting(z.string().min(1).max(4), 'The delimiter of .csv files. Default: detected.'),
  chunk_size: optionalSetting(z.int().positive(), 'Tokens in one passage. Default: 512.'),
  chunk_overlap: optionalSetting(z.int().min(0), 'Tokens shared by two adjacent passages. Default: 50.'),
  embedding_model: embeddingModel,
  embedding_dimensions: optionalSetting(
    z.int().min(1).max(10_000),
    'The length of the vectors, if the provider can shorten them.',
  ),
  database,
  top_k: optionalSetting(topK, 'Number of passages returned. Default: 5.'),
  min_similarity_score: optionalSetting(share, 'Passages with a lower score are left out.'),
}

export const hierarchicalFields = {
  source,
  chunking_strategy: optionalSetting(
    z.enum(['structure', 'token']),
    'Split by headings and clauses, or by length. Default: `structure`.',
  ),
  max_chunk_tokens: optionalSetting(z.int().min(100).max(2000), 'Tokens in one passage. Default: 800.'),
  chunk_overlap: optionalSetting(z.int().min(0).max(200), 'Tokens shared by two adjacent passages. Default: 50.'),
  document_domain: optionalSetting(z.literal('none'), 'Only `none`: numbered clauses are always detected.'),
  max_subsection_depth: optionalSetting(z.int().min(1), 'The depth of numbered clauses that become passages.'),
  search_mode: optionalSetting(
    z.enum(['semantic', 'keyword', 'exact', 'hybrid']),
    'Search by meaning, by words, by exact phrase, or by all three combined. Default: `hybrid`.',
  ),
  top_k: optionalSetting(topK, 'Number of passages returned. Default: 10.'),
  min_score: optionalSetting(share, 'Passages with a lower score are left out.'),
  semantic_weight: optionalSetting(share, 'Weight of the meaning in `hybrid`; the weights sum to 1. Default: 0.5.'),
  keyword_weight: optionalSetting(share, 'Weight of the words in `hybrid`. Default: 0.3.'),
  exact_weight: optionalSetting(share, 'Weight of the exact phrase in `hybrid`. Default: 0.2.'),
  rrf_k: optionalSetting(z.int().min(1), 'The rank constant of reciprocal rank fusion in `hybrid`. Default: 60.'),
  contextual_embeddings: booleanSetting('Whether passages are embedded together with their headings. Default: true.'),
  extract_definitions: booleanSetting('Whether results include definitions of the terms they use. Default: true.'),
  extract_cross_references: booleanSetting('Whether results name the clauses they refer to. Default: true.'),
  enable_reranking: optionalSetting(z.literal(false), 'Only false: reranking is not supported yet.'),
  embedding_model: embeddingModel,
  database,
  keyword_index: optionalSetting(
    z.strictObject({ provider: optionalSetting(z.literal('in-memory'), 'The embedded index.') }),
    'The keyword index.',
  ),
}
