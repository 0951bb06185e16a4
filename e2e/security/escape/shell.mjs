import { probe } from './tools/probes.mjs'

probe('shell')
