// Fields of an agent file, from its text to the requests of a model or an embedder.
import { createSimulator } from '@quarterdeck/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempProject } from '../config/testing/temp-project.ts'
import { silentLogger } from '../ports/logger.ts'
import { createRetrieval } from '../retrieval/create-retrieval.ts'
import { rests } from '../sessions/testing/lifecycle.fixture.ts'
import { loopToolBackend } from './testing/loop-tool-backend.fixture.ts'
import { openToolHarness } from './testing/tool-harness.fixture.ts'

async function load(yaml: string, files: Readonly<Record<string, string>>) {
  const project = await tempProject({ 'agent.yaml': yaml, ...files }, { OPENAI_API_KEY: 'made-up' })
  const { agent, problems } = await project.load()
  if (agent === null) throw new Error(JSON.stringify(problems))
  return agent
}

/** The first model request of a session of this agent. */
async function requested(yaml: string, files: Readonly<Record<string, string>>): Promise<string> {
  const agent = await load(yaml, files)
  const steps = [{ then: { text: 'done' } }]
  const { runtime, asked } = await openToolHarness(loopToolBackend('openai'), {
    agent,
    tools: () => agent.tools,
    steps,
  })
  const { sessionId } = await runtime.sessions.createSession({ agent: 'tester', message: 'wash the dishes' }, 'ana')
  await rests(runtime, sessionId, 'idle')
  return asked()[0] ?? ''
}

const head = 'name: tester\nmodel: { provider: openai, name: gpt-made-up }\n'

describe('a model request', () => {
  it('instructions.file: are the content of that file', async () => {
    const request = await requested(`${head}instructions: { file: words/brief.md }\n`, {
      'words/brief.md': 'Answer like a lighthouse keeper.',
    })
    expect(request).toContain('Answer like a lighthouse keeper.')
  })

  it('tool_filtering.enabled: false sends every tool, true those that match', async () => {
    const files = { 'tools.mjs': 'export const look = () => "seen"' }
    const tool = (name: string, description: string) =>
      `  - { name: ${name}, description: ${description}, type: function, file: tools.mjs, function: look }\n`
    const tools = `tools:\n${tool('dishes', 'washes the dishes')}${tool('taxes', 'files a return')}`
    const filtered = (isEnabled: boolean) =>
      requested(
        `${head}instructions: { inline: x }\n${tools}tool_filtering: { enabled: ${isEnabled}, search_method: bm25, top_k: 1 }\n`,
        files,
      )
    const [some, all] = [await filtered(true), await filtered(false)]
    expect(some).toContain('mcp__tools__dishes')
    expect(some).not.toContain('mcp__tools__taxes')
    expect(all).toContain('mcp__tools__dishes')
    expect(all).toContain('mcp__tools__taxes')
  })
})

describe('an embedding request', () => {
  it('tools[].embedding_model: is the requested model', async () => {
    const simulator = createSimulator({ mode: 'demo', paceMs: 0 })
    onTestFinished(() => simulator.close())
    const { url } = await simulator.listen()
    const ask = async (model: string, type: string) => {
      const tool = `tools:\n  - { name: kb, description: rules, type: ${type}, source: docs, embedding_model: ${model} }\n`
      const agent = await load(`${head}instructions: { inline: x }\n${tool}`, {
        'docs/a.md': `# Boats\n\n${type} float.`,
      })
      const retrieval = createRetrieval({
        dataDir: `${agent.file}.data`,
        clock: { now: () => new Date() },
        logger: silentLogger,
        embeddings: async () => ({ wire: 'openai', baseUrl: `${url}/v1`, apiKey: 'made-up', apiVersion: null }),
      })
      onTestFinished(() => retrieval.close())
      await retrieval.ingest(agent, { force: false, signal: new AbortController().signal })
    }
    await ask('text-embedding-3-large', 'vectorstore')
    await ask('text-embedding-ada-002', 'hierarchical_document')
    expect(simulator.served().embeddings.map(({ model }) => model)).toEqual([
      'text-embedding-3-large',
      'text-embedding-ada-002',
    ])
  })
})
