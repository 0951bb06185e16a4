// The environment of the contract suite: what the test of an adapter has to provide.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentDefinition, SessionId } from '@quarterdeck/protocol'
import { allSessionTools } from '../../permissions/tools/session-tools.ts'
import type { AgentBackend, SessionOptions } from '../backend.ts'
import { gateOf } from './backend-events.contract.ts'
import { unattendedOptions } from './unattended-options.contract.ts'

/** One answer of the model. Commands are `echo …` (prints) or `exit N` (fails). */
export interface ContractReply {
  readonly thinking?: string
  /** Streamed word by word. */
  readonly text?: string
  /** Shell commands called in one message. */
  readonly commands?: readonly string[]
  /** Sends its text and then stalls. */
  readonly stalls?: boolean
  /** The provider keeps failing. */
  readonly fails?: boolean
  /** Used only if the result of the model's call matches this. */
  readonly whenToolResult?: string
  /** Used only for this prompt of the conversation, counted from 1. */
  readonly whenPrompt?: number
  /** Used whenever the latest prompt contains this. */
  readonly whenText?: string
  /** Tools called in one message, without input. */
  readonly calls?: readonly string[]
  /** Writes a file in the working directory with the file tool. */
  readonly writes?: { readonly path: string; readonly text: string }
}

export interface BackendHarness {
  readonly backend: AgentBackend
  /** Includes `hostTools` if the backend has no shell of its own. */
  readonly options: Pick<SessionOptions, 'model' | 'modelSource' | 'modelAccess' | 'cwd'> &
    Partial<Pick<SessionOptions, 'hostTools'>>
  /** The content of the latest model request, if there is one. */
  asked?(): string
  /** False if the backend keeps no earlier states of files. */
  readonly supportsRewind?: boolean
  /** Kills the process of the running turn, or simulates that. */
  crash(): Promise<void>
  close(): Promise<void>
}

/** Settings of the agent file that a test needs. */
export type ContractAgent = Partial<Pick<AgentDefinition, 'tools' | 'turnTimeoutMs'>>

/** Opens a harness whose model answers with these replies and whose agent works in this folder. */
export type OpenBackendHarness = (
  replies: readonly ContractReply[],
  cwd: string,
  agent: ContractAgent,
) => Promise<BackendHarness>

export type OpenHarness = (replies: readonly ContractReply[], agent?: ContractAgent) => Promise<BackendHarness>

export const never = new AbortController().signal
export const limits = { maxTurns: 20, maxBudgetUsd: 5, maxDurationMs: 600_000 }

/** A session in a new harness. */
export async function ready(
  openHarness: OpenHarness,
  replies: readonly ContractReply[],
  overrides: Partial<SessionOptions> = {},
) {
  const harness = await openHarness(replies)
  return { harness, session: await harness.backend.createSession(optionsOf(harness, overrides)) }
}

export function optionsOf(
  harness: Partial<BackendHarness> & Pick<BackendHarness, 'options'>,
  overrides: Partial<SessionOptions> = {},
): SessionOptions {
  return {
    sessionId: SessionId.parse('ses_contract'),
    permissionMode: 'acceptAll',
    limits,
    ...unattendedOptions,
    gate: gateOf({}),
    resume: null,
    sessionTools: allSessionTools,
    ...harness.options,
    ...overrides,
  }
}

const folders: string[] = []

export function makeTestFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quarterdeck-contract-'))
  folders.push(folder)
  return folder
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}
