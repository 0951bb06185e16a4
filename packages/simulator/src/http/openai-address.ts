// Where the OpenAI API is found: with and without its version, and as Azure builds its addresses.
import type { OpenAiFlavour } from '@quarterdeck/model'

export interface OpenAiAddress {
  readonly resource: 'chat' | 'embeddings' | 'models' | 'model'
  readonly flavour: OpenAiFlavour
  /** Azure's name for a model, where the address says it. */
  readonly deployment: string | null
}

const resourcePattern = '(chat/completions|embeddings|models|models/[^/]+)'
const deployedPattern = new RegExp(`^/openai/deployments/([^/]+)/${resourcePattern}$`)
const plainPattern = new RegExp(`^(/openai)?(?:/v1)?/${resourcePattern}$`)

/** Null for every other address. An Azure deployment without an `api-version` is none, as there. */
export function findOpenAiAddress(url: string): OpenAiAddress | null {
  const { pathname, searchParams } = new URL(url, 'http://simulator')
  const deployed = deployedPattern.exec(pathname)
  if (deployed?.[1] && searchParams.has('api-version')) {
    return { resource: resourceOf(deployed[2]), flavour: 'azure', deployment: decodeURIComponent(deployed[1]) }
  }
  const plain = plainPattern.exec(pathname)
  if (!plain) return null
  return { resource: resourceOf(plain[2]), flavour: plain[1] === undefined ? 'openai' : 'azure', deployment: null }
}

function resourceOf(path = ''): OpenAiAddress['resource'] {
  if (path === 'chat/completions') return 'chat'
  if (path === 'embeddings' || path === 'models') return path
  return 'model'
}
