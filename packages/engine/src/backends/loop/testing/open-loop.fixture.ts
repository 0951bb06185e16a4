import { onTestFinished } from 'vitest'
import type { AgentSession, SessionOptions } from '../../backend.ts'
import { type LoopHarness, type LoopHarnessOptions, openLoopHarness } from './loop-harness.fixture.ts'

/** A harness that closes with its test. */
export async function openHarness(options: LoopHarnessOptions): Promise<LoopHarness> {
  const harness = await openLoopHarness(options)
  onTestFinished(harness.close)
  return harness
}

/** A session in a new harness. */
export async function openLoop(
  options: LoopHarnessOptions,
  overrides: Partial<SessionOptions> = {},
): Promise<{ readonly harness: LoopHarness; readonly session: AgentSession }> {
  const harness = await openHarness(options)
  return { harness, session: await harness.backend.createSession(harness.options(overrides)) }
}
