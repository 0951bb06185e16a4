// What `vectorstore` and `hierarchical_document` tools know.
import { z } from 'zod'

const text = z.string().trim().min(1, 'must not be blank')
const share = z.number().min(0).max(1)

const source = text.describe('A file, a folder or a pattern of documents: .txt .md .html .csv .json .jsonl.')
const topK = z.int().min(1).max(100)

/** Extra keys belong to foreign databases, which are refused by name. */
const DatabaseBlock = z.looseObject({
  provider: text.describe('`in-memory` or `sqlite`: the store in the data folder. Others are not supported yet.'),
  connection_string: z.string().nullish().describe('Of a foreign database; the embedded store has none.'),
})

const database = z
  .union([text, DatabaseBlock], { error: 'expected the name of a vectorstore of config.yaml, or a map' })
  .nullish()
  .describe('Where vectors are kept: the embedded store, by a map or by a name of `vectorstores` in config.yaml.')

const embeddingModel = text.nullish().describe('As `embedding_provider.name`; an agent has one.')

export const vectorstoreFields = {
  source,
  vector_field: z
    .union([text, z.array(text).min(1)], { error: 'expected a field or a list of fields' })
    .nullish()
    .describe('For records (.csv, .json): the fields that are searched. Needs `id_field`.'),
  id_field: text.nullish().describe('The field that names a record.'),
  meta_fields: z.array(text).nullish().describe('Fields shown beside what is found.'),
  record_path: text.nullish().describe('Where the records are in a .json file, such as `data.items`.'),
  record_prefix: z.string().nullish().describe('Put before the name of each searched field.'),
  meta_prefix: z.string().nullish().describe('Put before the name of each shown field.'),
  field_separator: z.string().nullish().describe('Between the searched fields; a line break unless said.'),
  delimiter: z.string().min(1).max(4).nullish().describe('Of .csv files; found out unless said.'),
  chunk_size: z.int().positive().nullish().describe('Tokens in one passage; 512 unless said.'),
  chunk_overlap: z.int().min(0).nullish().describe('Tokens that two passages share; 50 unless said.'),
  embedding_model: embeddingModel,
  embedding_dimensions: z
    .int()
    .min(1)
    .max(10_000)
    .nullish()
    .describe('The length of the vectors, where the provider can shorten them.'),
  database,
  top_k: topK.nullish().describe('How many passages it returns; 5 unless said.'),
  min_similarity_score: share.nullish().describe('Passages below it are left out.'),
}

export const hierarchicalFields = {
  source,
  chunking_strategy: z
    .enum(['structure', 'token'])
    .nullish()
    .describe('By headings and clauses, or by length; `structure`.'),
  max_chunk_tokens: z.int().min(100).max(2000).nullish().describe('Tokens in one passage; 800 unless said.'),
  chunk_overlap: z.int().min(0).max(200).nullish().describe('Tokens that two passages share; 50 unless said.'),
  document_domain: z.literal('none').nullish().describe('Only `none`: numbered clauses are found in every document.'),
  max_subsection_depth: z.int().min(1).nullish().describe('How deep numbered clauses become passages of their own.'),
  search_mode: z
    .enum(['semantic', 'keyword', 'exact', 'hybrid'])
    .nullish()
    .describe('By meaning, by words, by the very phrase, or all three together; `hybrid` unless said.'),
  top_k: topK.nullish().describe('How many passages it returns; 10 unless said.'),
  min_score: share.nullish().describe('Passages below it are left out.'),
  semantic_weight: share.nullish().describe('Of meaning in `hybrid`; 0.5 unless said. The three add up to 1.'),
  keyword_weight: share.nullish().describe('Of words in `hybrid`; 0.3 unless said.'),
  exact_weight: share.nullish().describe('Of the very phrase in `hybrid`; 0.2 unless said.'),
  rrf_k: z.int().min(1).nullish().describe('How much ranks count against each other in `hybrid`; 60 unless said.'),
  contextual_embeddings: z
    .boolean()
    .nullish()
    .describe('Whether passages are embedded with the headings above them; true unless said.'),
  extract_definitions: z
    .boolean()
    .nullish()
    .describe('Whether defined terms are shown with results; true unless said.'),
  extract_cross_references: z
    .boolean()
    .nullish()
    .describe('Whether the clauses a passage refers to are named with it; true unless said.'),
  enable_reranking: z.literal(false).nullish().describe('Only false: there is no reranking yet.'),
  embedding_model: embeddingModel,
  database,
  keyword_index: z
    .strictObject({ provider: z.literal('in-memory').nullish().describe('The embedded one.') })
    .nullish()
    .describe('Where words are indexed.'),
}
