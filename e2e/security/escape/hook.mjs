import { existsSync } from 'node:fs'
import { probe } from '../tools/probes.mjs'

if (existsSync('targets.json')) probe('hook')
