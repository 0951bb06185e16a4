import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeAgent } from '../../connect/scripted-agent.fixture.ts'
import { openTestTerminal, type TestTerminal } from '../../terminal/terminal.fixture.ts'
import { ingestDocuments, printRecall, searchDocuments } from './retrieval.ts'

const agentText = `name: shop
model: { provider: simulator, name: high }
instructions: { inline: Be brief. }
tools:
  - type: hierarchical_document
    name: handbook
    description: The rules of the shop.
    source: docs
    search_mode: keyword
`

async function openShop(more = ''): Promise<TestTerminal & { folder: string }> {
  const test = await openTestTerminal({ piped: '' })
  const { cwd } = test.terminal
  await writeAgent(cwd, agentText + more)
  await mkdir(join(cwd, 'docs'))
  await writeFile(join(cwd, 'docs/returns.md'), '# Returns\n\nBicycles are taken back for 30 days.\n')
  await writeFile(join(cwd, 'docs/scan.pdf'), 'x')
  return { ...test, folder: cwd }
}

describe('quarterdeck retrieval ingest', () => {
  it('prints progress, the documents it read and those it skipped, and reads nothing the second time', async () => {
    const { terminal, stdout, stderr } = await openShop()
    expect(await ingestDocuments(terminal, { agent: '.', flags: {} })).toBe(0)
    expect(stderr()).toContain('handbook: 1/1 files, 1 passages')
    expect(stdout()).toContain('handbook: 1 files, 1 passages (1 read, 0 removed)')
    expect(stdout()).toContain('skipped: docs/scan.pdf, of an unsupported type')
    expect(await ingestDocuments(terminal, { agent: '.', flags: {} })).toBe(0)
    expect(stdout()).toContain('handbook: 1 files, 1 passages (nothing to do)')
    expect(await ingestDocuments(terminal, { agent: '.', flags: { force: true, json: true } })).toBe(0)
    expect(JSON.parse(stdout().slice(stdout().indexOf('[')))).toMatchObject([{ tool: 'handbook', changed: 1 }])
  })

  it('needs no model key', async () => {
    const { terminal, stdout, folder } = await openShop()
    await writeAgent(
      folder,
      `${agentText.replace('provider: simulator', 'provider: anthropic')}embedding_provider: { provider: local }\n`,
    )
    expect(await ingestDocuments(terminal, { agent: '.', flags: {} })).toBe(0)
    const input = { agent: '.', tool: 'handbook', query: 'bicycles', flags: {} }
    expect(await searchDocuments(terminal, input)).toBe(0)
    expect(stdout()).toContain('Bicycles are taken back')
  })

  it('refuses an agent without search tools', async () => {
    const { terminal } = await openTestTerminal({ piped: '' })
    await writeAgent(terminal.cwd)
    await expect(ingestDocuments(terminal, { agent: '.', flags: {} })).rejects.toThrow('has no vectorstore')
  })
})

describe('quarterdeck retrieval search', () => {
  it('prints the passages that the model would get', async () => {
    const { terminal, stdout } = await openShop()
    const search = (query: string, flags = {}) =>
      searchDocuments(terminal, { agent: '.', tool: 'handbook', query, flags })
    expect(await search('take bicycles back')).toBe(0)
    expect(stdout()).toContain('[1] docs/returns.md › Returns (line 3), score 1.00\nBicycles are taken back')
    expect(await search('zebra')).toBe(1)
    expect(stdout()).toContain('Nothing in handbook fits "zebra".')
  })

  it.each(['handbook_search', 'mcp__tools__handbook_search'])('accepts %s for the tool', async (tool) => {
    const { terminal } = await openShop()
    expect(await searchDocuments(terminal, { agent: '.', tool, query: 'bicycles', flags: {} })).toBe(0)
  })

  it('names the available tools when the given one is unknown', async () => {
    const { terminal } = await openShop()
    const wrong = searchDocuments(terminal, { agent: '.', tool: 'handbok', query: 'x', flags: {} })
    await expect(wrong).rejects.toThrow('has no search tool "handbok": it has handbook')
  })
})

describe('retrieval search of one tool', () => {
  const attic = `  - type: hierarchical_document
    name: attic
    description: Old things.
    source: attic
    search_mode: keyword
    on_failure: warn
`

  it('reads only the documents of that tool', async () => {
    const { terminal, folder, stdout, stderr } = await openShop(attic)
    await mkdir(join(folder, 'attic'))
    await writeFile(join(folder, 'attic/old.md'), '# Old\n\nDust.\n')
    expect(await searchDocuments(terminal, { agent: '.', tool: 'attic', query: 'dust', flags: {} })).toBe(0)
    expect(stdout()).toContain('Dust.')
    expect(stderr()).not.toContain('handbook')
  })

  it('reports why a tool cannot be searched, even an optional one', async () => {
    const { terminal, folder } = await openShop(attic)
    await mkdir(join(folder, 'attic'))
    const failing = searchDocuments(terminal, { agent: '.', tool: 'attic', query: 'dust', flags: {} })
    await expect(failing).rejects.toThrow(/tool "attic": .*attic contains no documents/)
  })

  it('stops at SIGINT and SIGTERM', async () => {
    const { terminal } = await openShop()
    const signals: string[] = []
    const onSignal: typeof terminal.onSignal = (signal, handler) => {
      signals.push(signal)
      return terminal.onSignal(signal, handler)
    }
    await searchDocuments({ ...terminal, onSignal }, { agent: '.', tool: 'handbook', query: 'x', flags: {} })
    expect(signals).toEqual(expect.arrayContaining(['SIGINT', 'SIGTERM']))
  })
})

describe('quarterdeck retrieval recall', () => {
  async function measure(documents: string, question: { question: string; words: string }) {
    const { terminal, stdout } = await openTestTerminal({ piped: '' })
    await mkdir(join(terminal.cwd, 'set/documents'), { recursive: true })
    await writeFile(join(terminal.cwd, 'set/documents/a.md'), documents)
    const labelled = { id: 'q1', kind: 'any', source: 'a.md', where: 'somewhere', ...question }
    await writeFile(join(terminal.cwd, 'set/questions.json'), JSON.stringify([labelled]))
    return { exitCode: await printRecall(terminal, { folder: 'set', flags: {} }), printed: stdout() }
  }

  it('prints recall and the mean reciprocal rank of each search mode', async () => {
    const { exitCode, printed } = await measure('# Boats\n\nBoats float.\n\n# Fish\n\nFish swim.\n', {
      question: 'fish swim',
      words: 'Fish swim',
    })
    expect(exitCode).toBe(0)
    expect(printed).toMatch(/1 questions over 1 files, 2 passages/)
    for (const mode of ['keyword', 'semantic', 'hybrid']) {
      expect(printed).toMatch(new RegExp(`^${mode} +1\\.000 +1\\.000 +1\\.000 +1\\.000$`, 'm'))
    }
    expect(printed).toContain('hybrid is at least as good')
  })

  it('exits with 1 when hybrid is worse than the better of the other two modes', async () => {
    const documents = '# A\n\nShips float on the sea because water carries them.\n\n# B\n\nZorblax, blue.\n'
    const { exitCode, printed } = await measure(documents, {
      question: 'Do vessels stay above the zorblax sea?',
      words: 'Zorblax, blue',
    })
    expect(printed).toMatch(/^keyword +1\.000/m)
    expect(printed).toContain('hybrid is worse')
    expect(exitCode).toBe(1)
  })
})

it.each([
  [null, /set\/questions\.json: no such file\. The folder needs documents\/ and questions\.json\.$/],
  ['{}', /must be a JSON list of questions, each with id, kind, question, source, where, words$/],
  ['not json', /must be a JSON list of questions/],
  ['[{"id": "1", "kind": "k"}]', /question 1 needs "question", a text\. Each has id, kind/],
  ['[7]', /question 1 must be an object/],
])('retrieval recall reports what is wrong with questions.json: %s', async (text, sentence) => {
  const { terminal } = await openTestTerminal({ piped: '' })
  await mkdir(join(terminal.cwd, 'set/documents'), { recursive: true })
  if (text !== null) await writeFile(join(terminal.cwd, 'set/questions.json'), text)
  await expect(printRecall(terminal, { folder: 'set', flags: {} })).rejects.toThrow(sentence)
})
