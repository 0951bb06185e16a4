// The addresses of the OpenAI API: with and without a version, and in the form of Azure.
import type { OpenAiFlavour } from '@quarterdeck/model'

export interface OpenAiAddress {
  readonly resource: 'chat' | 'embeddings' | 'models' | 'model'
  readonly flavour: OpenAiFlavour
  /** Azure's name for a model, if the address contains it. */
  readonly deployment: string | null
}

const resourcePattern = '(chat/completions|embeddings|models|models/[^/]+)'
const deployedPattern = new RegExp(`^/openai/deployments/([^/]+)/${resourcePattern}$`)
const plainPattern = new RegExp(`^(/openai)?(?:/v1)?/${resourcePattern}$`)

/** Null for every other address, including an Azure deployment without `api-version`, as at Azure. */
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
