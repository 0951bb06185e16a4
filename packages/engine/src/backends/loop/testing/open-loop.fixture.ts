import { onTestFinished } from 'vitest'
import type { AgentSession, SessionOptions } from '../../backend.ts'
import { type LoopHarness, type LoopHarnessOptions, openLoopHarness } from './loop-harness.fixture.ts'

/** A world that is closed with the test it is opened in. */
export async function openHarness(options: LoopHarnessOptions): Promise<LoopHarness> {
  const harness = await openLoopHarness(options)
  onTestFinished(harness.close)
  return harness
}

/** A session in a world of its own. */
export async function openLoop(
  options: LoopHarnessOptions,
  overrides: Partial<SessionOptions> = {},
): Promise<{ readonly harness: LoopHarness; readonly session: AgentSession }> {
  const harness = await openHarness(options)
  return { harness, session: await harness.backend.createSession(harness.options(overrides)) }
}
