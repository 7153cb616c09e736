import { describeStories } from '../story-file.ts'
import { tell } from './tell.ts'

describeStories(import.meta.dirname, tell)
