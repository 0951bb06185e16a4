// `--door WIRE[:PORT]`, as often as there are doors.
import { nearestName } from '@quarterdeck/engine'
import { type CompatListenerPlan, type WireName, wireNames } from '@quarterdeck/server'
import { InvalidArgumentError } from 'commander'
import { portOf, portRule } from '../../flags/port.ts'

export type CompatFlag = Pick<CompatListenerPlan, 'wire' | 'port'>

/** Throws what the command line says about a flag that is wrong. */
export function addCompatFlag(text: string, previous: readonly CompatFlag[] = []): readonly CompatFlag[] {
  const [name = '', ...rest] = text.split(':')
  if (!isWireName(name)) {
    const near = nearestName(name, wireNames)
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`
    throw new InvalidArgumentError(`there is no wire "${name}": one of ${wireNames.join(', ')}.${hint}`)
  }
  if (rest.length === 0) return [...previous, { wire: name }]
  const port = portOf(rest.join(':'))
  if (port === null) throw new InvalidArgumentError(`the port behind "${name}:" ${portRule}`)
  return [...previous, { wire: name, port }]
}

const isWireName = (name: string): name is WireName => wireNames.some((known) => known === name)
