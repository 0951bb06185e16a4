// Starts the slowest test files first, so that no worker is left with one of them at the end. By default a first run
// starts large files first, but some of the slowest are small because they call a contract suite.
import { BaseSequencer, type TestSpecification } from 'vitest/node'

export const slowest = [
  'claude-contract.real-cli',
  'session-life.real-cli',
  'tool-sessions.real-cli',
  'claude-session.real-cli',
  'branch-transcript.real-cli',
  'measure-recall',
  'mcp-server',
  'function-tool',
  'tool-sessions.loop',
  'shaped-traffic',
  'processes/kill-server',
  'faults/late-answers',
  'cli/init',
  'data/questions',
  'faults/server',
  'cli/commands',
  'faults/clients',
  'data/ask',
  'cli/test-command',
  'processes/queue',
  'workbench/layout',
  'data/offline',
  'data/runs',
  'processes/hibernated',
  'data/tables',
  'faults/provider',
  'faults/store',
  'money/rates',
].map((name) => `/${name}.test.ts`)

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}

function rank({ moduleId }: TestSpecification): number {
  const found = slowest.findIndex((name) => moduleId.endsWith(name))
  return found === -1 ? slowest.length : found
}
