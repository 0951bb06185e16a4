// Maps the permission modes of a session to those of the SDK.
import type { PermissionMode } from '@quarterdeck/protocol'

const sdkNames: Readonly<Record<PermissionMode, string>> = {
  plan: 'plan',
  manual: 'default',
  acceptEdits: 'acceptEdits',
  acceptAll: 'bypassPermissions',
}
const modes = new Map(Object.entries(sdkNames).map(([mode, name]) => [name, mode as PermissionMode])) // the keys above

export const sdkModeNames: readonly string[] = [...modes.keys()]

export const sdkModeOf = (mode: PermissionMode): string => sdkNames[mode]

/** `undefined` for a mode that is not supported. */
export const modeOfSdk = (name: string): PermissionMode | undefined => modes.get(name)
