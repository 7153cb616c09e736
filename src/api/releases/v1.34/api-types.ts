// Written by `npm run generate -- v1.34.11`; do not edit. The notation is explained in src/api/schema/type-table.ts.

import { apiTypes as part2 } from './api-types-from-core.ts'
import { apiTypes as part1 } from './api-types-from-meta.ts'
import { apiTypes as part3 } from './api-types-from-networking-v1beta1.ts'

/** Every type of the API: the types of v1.34.11. */
export const apiTypes = [part1, part2, part3].join('')
