// `--door WIRE[:PORT]`, as often as there are doors.
import { nearestName } from '@quarterdeck/engine'
import { type DoorName, type DoorPlan, doorNames } from '@quarterdeck/server'
import { InvalidArgumentError } from 'commander'
import { portOf, portRule } from './port.ts'

export type DoorFlag = Pick<DoorPlan, 'wire' | 'port'>

/** Throws what the command line says about a flag that is wrong. */
export function addDoor(text: string, doors: readonly DoorFlag[] = []): readonly DoorFlag[] {
  const [name = '', ...rest] = text.split(':')
  if (!isDoorName(name)) {
    const near = nearestName(name, doorNames)
    const hint = near === undefined ? '' : ` Did you mean "${near}"?`
    throw new InvalidArgumentError(`there is no wire "${name}": one of ${doorNames.join(', ')}.${hint}`)
  }
  if (rest.length === 0) return [...doors, { wire: name }]
  const port = portOf(rest.join(':'))
  if (port === null) throw new InvalidArgumentError(`the port behind "${name}:" ${portRule}`)
  return [...doors, { wire: name, port }]
}

const isDoorName = (name: string): name is DoorName => doorNames.some((known) => known === name)
