import type { HierarchicalDocumentTool } from '@quarterdeck/protocol'

type RequiredFields = 'type' | 'name' | 'description' | 'isCritical' | 'onFailure' | 'source'

/** The defaults of a hierarchical_document tool. Recall is measured with them too. */
export const defaultSearch = {
  chunking: 'structure',
  maxChunkTokens: 800,
  chunkOverlap: 50,
  maxSubsectionDepth: null,
  searchMode: 'hybrid',
  topK: 10,
  minScore: null,
  rrfK: 60,
  weights: { semantic: 0.5, keyword: 0.3, exact: 0.2 },
  contextualEmbeddings: true,
  extractDefinitions: true,
  extractCrossReferences: true,
} as const satisfies Omit<HierarchicalDocumentTool, RequiredFields>
