// A model and how to reach it, as users write it: for the agent, its search tools and its judges.
import { AuthProvider } from '@quarterdeck/protocol'
import { z } from 'zod'
import type { SignIn } from '../../ports/sign-in.ts'
import { neededVariables } from '../credentials/credentials.ts'
import { httpAddress, optionalSetting, text } from './setting-schemas.ts'

const needs = (signIn: SignIn): string =>
  `\`${signIn}\`: ${neededVariables(signIn)
    .map((variable) => `\`${variable.replaceAll(' or ', '` or `')}\``)
    .join(', ')}`

/** The latest version that is not a preview. */
export const defaultApiVersion = '2024-10-21'

const apiVersion = optionalSetting(text, `The version of the Azure API. Default: \`${defaultApiVersion}\`.`)

export const ModelBlock = z.strictObject({
  provider: z
    .enum(['anthropic', 'openai', 'azure_openai', 'ollama', 'simulator'])
    .describe(
      `The provider; \`simulator\` is the local simulator. Required variables: ${needs('openai')}; ${needs('azure_openai')}; \`anthropic\`: see \`auth_provider\`.`,
    ),
  name: optionalSetting(
    text,
    'The model id of the provider; for Azure the deployment. For Anthropic also a tier (`pro`, `high`, `low`) or `auto`, which chooses a model for each turn.',
  ),
  endpoint: optionalSetting(
    httpAddress,
    'The address of the API, if it is not the default of the provider; required for Azure. `ANTHROPIC_BASE_URL`, `OPENAI_BASE_URL` and `AZURE_OPENAI_ENDPOINT` override it.',
  ),
  api_key: optionalSetting(
    z.string(),
    'A reference to the variable with the key, if it is not the usual one. For Anthropic only with `api_key` and `custom`.',
  ),
  api_version: apiVersion,
  auth_provider: optionalSetting(
    AuthProvider,
    `How to sign in to Anthropic. Default: \`api_key\`. Required variables: ${AuthProvider.options.map(needs).join('; ')}.`,
  ),
  max_tokens: optionalSetting(z.int().positive(), 'Maximum length of one answer, in tokens.'),
  temperature: optionalSetting(
    z.number().min(0).max(2),
    'Sampling temperature. Only on the in-process loop; causes a warning elsewhere.',
  ),
  top_p: optionalSetting(
    z.number().min(0).max(1),
    'Nucleus sampling threshold. Only on the in-process loop; causes a warning elsewhere.',
  ),
})

/** The embedding provider of search tools. */
export const EmbeddingBlock = z.strictObject({
  provider: z
    .enum(['openai', 'azure_openai', 'ollama', 'local', 'anthropic'])
    .describe(
      'The embedding provider; `local` needs no network and no key. `anthropic` is an error, because Anthropic provides no embeddings.',
    ),
  name: optionalSetting(
    text,
    'The model; for Azure the deployment. Default: `text-embedding-3-small` for OpenAI, `nomic-embed-text` for Ollama.',
  ),
  endpoint: optionalSetting(httpAddress, 'As in `model`.'),
  api_key: optionalSetting(z.string(), 'As in `model`.'),
  api_version: apiVersion,
  max_tokens: optionalSetting(z.int().positive(), 'Has no effect and causes a warning.'),
  temperature: optionalSetting(z.number().min(0).max(2), 'Has no effect and causes a warning.'),
  top_p: optionalSetting(z.number().min(0).max(1), 'Has no effect and causes a warning.'),
})
export type EmbeddingBlock = z.infer<typeof EmbeddingBlock>
