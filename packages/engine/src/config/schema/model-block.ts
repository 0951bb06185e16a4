// A model and how it is reached, as users write it: of the agent, of its search tools, of its judges.
import { AuthProvider } from '@quarterdeck/protocol'
import { z } from 'zod'
import { neededVariables } from '../credentials/credentials.ts'
import type { SignIn } from '../credentials/sign-in.ts'

const text = z.string().trim().min(1, 'must not be blank')

const needs = (signIn: SignIn): string =>
  `\`${signIn}\`: ${neededVariables(signIn)
    .map((variable) => `\`${variable.replaceAll(' or ', '` or `')}\``)
    .join(', ')}`

const endpoint = z.url({ protocol: /^https?$/, error: 'expected an http or https address' }).nullish()

const apiKey = z.string().nullish()

/** The latest that is not a preview. */
export const defaultApiVersion = '2024-10-21'

const apiVersion = text.nullish().describe(`The version of Azure’s API; \`${defaultApiVersion}\` unless said.`)

export const ModelBlock = z.strictObject({
  provider: z
    .enum(['anthropic', 'openai', 'azure_openai', 'ollama', 'simulator'])
    .describe(
      `Who answers; \`simulator\` is the stand-in on this machine. What they need: ${needs('openai')}; ${needs('azure_openai')}; \`anthropic\`: see \`auth_provider\`.`,
    ),
  name: text
    .nullish()
    .describe(
      'The provider’s model id, for Azure the deployment. Of Anthropic also a tier (`pro`, `high`, `low`) or `auto`: each turn then runs on what fits it.',
    ),
  endpoint: endpoint.describe(
    'The address of the API, where it is not the provider’s own; Azure needs it. `ANTHROPIC_BASE_URL`, `OPENAI_BASE_URL` and `AZURE_OPENAI_ENDPOINT` win.',
  ),
  api_key: apiKey.describe(
    'A reference to the variable with the key, where it is not the usual one. Of Anthropic with `api_key` and `custom` only.',
  ),
  api_version: apiVersion,
  auth_provider: AuthProvider.nullish().describe(
    `How to sign in at Anthropic; \`api_key\` unless said. What each needs: ${AuthProvider.options.map(needs).join('; ')}.`,
  ),
  max_tokens: z.int().positive().nullish().describe('The longest answer of one request, in tokens.'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullish()
    .describe('How freely it answers. On the in-process loop only; warns elsewhere.'),
  top_p: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe('How many of the likely words it chooses among. On the in-process loop only; warns elsewhere.'),
})
export type ModelBlock = z.infer<typeof ModelBlock>

/** Of a tool that searches. */
export const EmbeddingBlock = z.strictObject({
  provider: z
    .enum(['openai', 'azure_openai', 'ollama', 'local', 'anthropic'])
    .describe('Who makes the vectors; `local` needs no network and no key. Anthropic makes none: an error.'),
  name: text
    .nullish()
    .describe(
      'The model, for Azure the deployment; `text-embedding-3-small` for OpenAI, `nomic-embed-text` for Ollama unless said.',
    ),
  endpoint: endpoint.describe('As in `model`.'),
  api_key: apiKey.describe('As in `model`.'),
  api_version: apiVersion,
  max_tokens: z.int().positive().nullish().describe('No effect: warns.'),
  temperature: z.number().min(0).max(2).nullish().describe('No effect: warns.'),
  top_p: z.number().min(0).max(1).nullish().describe('No effect: warns.'),
})
export type EmbeddingBlock = z.infer<typeof EmbeddingBlock>
