import { probe } from './probes.mjs'

export const parameters = { type: 'object', properties: {} }
export const attack = () => probe('function')
