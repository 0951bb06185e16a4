import { onTestFinished } from 'vitest'
import type { AgentSession, SessionOptions } from '../../backend.ts'
import { type LoopWorld, type LoopWorldOptions, openLoopWorld } from './loop-world.fixture.ts'

/** A world that is closed with the test it is opened in. */
export async function openWorld(options: LoopWorldOptions): Promise<LoopWorld> {
  const world = await openLoopWorld(options)
  onTestFinished(world.close)
  return world
}

/** A session in a world of its own. */
export async function openLoop(
  options: LoopWorldOptions,
  overrides: Partial<SessionOptions> = {},
): Promise<{ readonly world: LoopWorld; readonly session: AgentSession }> {
  const world = await openWorld(options)
  return { world, session: await world.backend.createSession(world.options(overrides)) }
}
