import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { Descriptions } from '../apiserver/openapi.ts'

let loaded: Descriptions | undefined

/** The field descriptions that the build created. Without a build, schemas have no descriptions. */
export function loadDescriptions(): Descriptions {
  loaded ??= read()
  return loaded
}

function read(): Descriptions {
  for (const place of ['./descriptions.json.gz', '../descriptions.json.gz', '../../dist/descriptions.json.gz']) {
    try {
      return JSON.parse(
        gunzipSync(readFileSync(fileURLToPath(new URL(place, import.meta.url)))).toString('utf8'),
      ) as Descriptions
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return {}
}
