import { z } from 'zod'
import { JsonObject } from '../values/json.ts'

/** A hook of an agent file: an action at one of the SDK's hook points. */
export const AgentHook = z.object({
  /** One of the SDK's HOOK_EVENTS. */
  event: z.string(),
  /** A regular expression for the whole name of the tool (or the event's own subject); `null` for every one. */
  matcher: z.string().nullable(),
  action: z.discriminatedUnion('type', [
    /** Written to the server's log. */
    z.object({ type: z.literal('log') }),
    z.object({ type: z.literal('reject'), message: z.string() }),
    /** Merged into the call's input. */
    z.object({ type: z.literal('modify'), input: JsonObject }),
    /** Gets the hook's input as JSON on stdin and may print the SDK's hook output to stdout; exit code 2 refuses. */
    z.object({
      type: z.literal('script'),
      command: z.string(),
      args: z.array(z.string()),
      /** Names of the variables it sees besides PATH and HOME. */
      env: z.array(z.string()),
      /** Absolute. */
      cwd: z.string(),
      timeoutMs: z.int().positive(),
    }),
  ]),
})
export type AgentHook = z.infer<typeof AgentHook>
