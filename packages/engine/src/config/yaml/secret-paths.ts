// Paths where a secret is allowed: its value is passed on from there and appears in no definition.
import { formatPath, type Path } from '../problems/value-path.ts'

/** Values passed to a tool, a hook or a collector; the file is valid without them. */
const passedOn = [
  /^(?:tools|mcp_servers)\[\d+\]\.(?:env|headers|config)(?:[.[]|$)/,
  /^hooks\[\d+\]\.env(?:[.[]|$)/,
  /^observability\.exporters\.otlp\.headers(?:[.[]|$)/,
]
const keys = [/(?:^|\.)(?:model|embedding_provider|providers\.[^.]+)\.api_key$/, /^tools\[\d+\]\.database(?:\.|$)/]

export const isPassedOn = (path: Path): boolean => passedOn.some((pattern) => pattern.test(formatPath(path)))

export const mayHoldSecret = (path: Path): boolean =>
  isPassedOn(path) || keys.some((pattern) => pattern.test(formatPath(path)))

export const exposedSecret = (variable: string): string =>
  `${variable} would become readable here: use a secret only in an api_key, or in env and headers of a tool`

/** The blocks of config.yaml that configure the server. Their schemas decide which of their fields are secret. */
export const serverKeys = ['allow_unsandboxed', 'rate_limit_tier', 'processes', 'retention', 'webhooks', 'budgets']
