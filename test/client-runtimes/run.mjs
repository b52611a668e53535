import * as client from 'animal-store-client';
import { conform } from './conformance.mjs';

const [baseUrl, apiKey] = process.argv.slice(2);
const wrong = await conform(client, { baseUrl, apiKey });
for (const line of wrong) console.log(line);
process.exit(wrong.length === 0 ? 0 : 1);
