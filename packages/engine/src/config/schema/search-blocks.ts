// The settings of `vectorstore` and `hierarchical_document` tools.
import { z } from 'zod'

const text = z.string().trim().min(1, 'must not be blank')
const share = z.number().min(0).max(1)

const source = text.describe('A file, a folder or a pattern of documents: .txt .md .html .csv .json .jsonl.')
const topK = z.int().min(1).max(100)

/** Extra keys belong to external databases, which are refused by name. */
const DatabaseBlock = z.looseObject({
  provider: text.describe('`in-memory` or `sqlite`: the store in the data folder. Others are not supported yet.'),
  connection_string: z.string().nullish().describe('For an external database; the embedded store has none.'),
})

const database = z
  .union([text, DatabaseBlock], { error: 'expected the name of a vectorstore of config.yaml, or a map' })
  .nullish()
  .describe('Where vectors are stored: the embedded store, as a map or as a name of `vectorstores` in config.yaml.')

const embeddingModel = text.nullish().describe('Like `embedding_provider.name`; the same for all search tools.')

export const vectorstoreFields = {
  source,
  vector_field: z
    .union([text, z.array(text).min(1)], { error: 'expected a field or a list of fields' })
    .nullish()
    .describe('For records (.csv, .json): the fields to search. Needs `id_field`.'),
  id_field: text.nullish().describe('The field that identifies a record.'),
  meta_fields: z.array(text).nullish().describe('Fields shown with each result.'),
  record_path: text.nullish().describe('The path of the records in a .json file, such as `data.items`.'),
  record_prefix: z.string().nullish().describe('Prefix of the name of each searched field.'),
  meta_prefix: z.string().nullish().describe('Prefix of the name of each shown field.'),
  field_separator: z.string().nullish().describe('Text between the searched fields. Default: a line break.'),
  delimiter: z.string().min(1).max(4).nullish().describe('The delimiter of .csv files. Default: detected.'),
  chunk_size: z.int().positive().nullish().describe('Tokens in one passage. Default: 512.'),
  chunk_overlap: z.int().min(0).nullish().describe('Tokens shared by two adjacent passages. Default: 50.'),
  embedding_model: embeddingModel,
  embedding_dimensions: z
    .int()
    .min(1)
    .max(10_000)
    .nullish()
    .describe('The length of the vectors, if the provider can shorten them.'),
  database,
  top_k: topK.nullish().describe('Number of passages returned. Default: 5.'),
  min_similarity_score: share.nullish().describe('Passages with a lower score are left out.'),
}

export const hierarchicalFields = {
  source,
  chunking_strategy: z
    .enum(['structure', 'token'])
    .nullish()
    .describe('Split by headings and clauses, or by length. Default: `structure`.'),
  max_chunk_tokens: z.int().min(100).max(2000).nullish().describe('Tokens in one passage. Default: 800.'),
  chunk_overlap: z.int().min(0).max(200).nullish().describe('Tokens shared by two adjacent passages. Default: 50.'),
  document_domain: z.literal('none').nullish().describe('Only `none`: numbered clauses are always detected.'),
  max_subsection_depth: z.int().min(1).nullish().describe('The depth of numbered clauses that become passages.'),
  search_mode: z
    .enum(['semantic', 'keyword', 'exact', 'hybrid'])
    .nullish()
    .describe('Search by meaning, by words, by exact phrase, or by all three combined. Default: `hybrid`.'),
  top_k: topK.nullish().describe('Number of passages returned. Default: 10.'),
  min_score: share.nullish().describe('Passages with a lower score are left out.'),
  semantic_weight: share.nullish().describe('Weight of the meaning in `hybrid`; the weights sum to 1. Default: 0.5.'),
  keyword_weight: share.nullish().describe('Weight of the words in `hybrid`. Default: 0.3.'),
  exact_weight: share.nullish().describe('Weight of the exact phrase in `hybrid`. Default: 0.2.'),
  rrf_k: z.int().min(1).nullish().describe('The rank constant of reciprocal rank fusion in `hybrid`. Default: 60.'),
  contextual_embeddings: z
    .boolean()
    .nullish()
    .describe('Whether passages are embedded together with their headings. Default: true.'),
  extract_definitions: z
    .boolean()
    .nullish()
    .describe('Whether results include definitions of the terms they use. Default: true.'),
  extract_cross_references: z
    .boolean()
    .nullish()
    .describe('Whether results name the clauses they refer to. Default: true.'),
  enable_reranking: z.literal(false).nullish().describe('Only false: reranking is not supported yet.'),
  embedding_model: embeddingModel,
  database,
  keyword_index: z
    .strictObject({ provider: z.literal('in-memory').nullish().describe('The embedded index.') })
    .nullish()
    .describe('The keyword index.'),
}
