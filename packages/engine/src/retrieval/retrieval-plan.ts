// Turns the fields of a tool into settings for reading, chunking and searching.
import type { AgentDefinition, RetrievalTool } from '@quarterdeck/protocol'
import type { IngestionPlan } from './ingest.ts'
import type { SearchSettings } from './search/search-passages.ts'

export function planIngestion(
  agent: Pick<AgentDefinition, 'file'>,
  tool: RetrievalTool,
  dataDir: string | null,
): IngestionPlan {
  const common = { source: tool.source, agentFile: agent.file, dataDir }
  if (tool.type === 'vectorstore') {
    return {
      ...common,
      records: tool.records,
      isContextual: tool.records === null,
      chunking: {
        strategy: 'structure',
        maxTokens: tool.chunkTokens,
        overlap: tool.chunkOverlap,
        maxSubsectionDepth: null,
        extractDefinitions: false,
        extractReferences: false,
      },
    }
  }
  return {
    ...common,
    records: null,
    isContextual: tool.contextualEmbeddings,
    chunking: {
      strategy: tool.chunking,
      maxTokens: tool.maxChunkTokens,
      overlap: tool.chunkOverlap,
      maxSubsectionDepth: tool.maxSubsectionDepth,
      extractDefinitions: tool.extractDefinitions,
      extractReferences: tool.extractCrossReferences,
    },
  }
}

export function settingsOf(tool: RetrievalTool): SearchSettings {
  const { topK, minScore } = tool
  if (tool.type === 'hierarchical_document') {
    return { mode: tool.searchMode, weights: tool.weights, rrfK: tool.rrfK, topK, minScore }
  }
  return { mode: 'semantic', weights: { semantic: 1, keyword: 0, exact: 0 }, rrfK: 60, topK, minScore }
}

export function usesVectors(tool: RetrievalTool): boolean {
  const { mode, weights } = settingsOf(tool)
  return mode === 'semantic' || (mode === 'hybrid' && weights.semantic > 0)
}
