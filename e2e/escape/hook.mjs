import { existsSync } from 'node:fs'
import { probe } from '../tools/probes.mjs'

if (existsSync('places.json')) probe('hook')
