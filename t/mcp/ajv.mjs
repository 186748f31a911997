// Compiles the schemas of a tools/list in Ajv with its defaults, as clients do:
//
//     node ajv.mjs FILE
//
// FILE has the result of tools/list.  Prints a line for each schema: the tool,
// and "compiles", or the error.

import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';

const { tools } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

for (const { name, inputSchema } of tools) {
    for (const Class of [Ajv, Ajv2020]) {
        try {
            new (Class.default ?? Class)().compile(inputSchema);
            console.log(`${name} compiles`);

        } catch (error) {
            console.log(`${name} ${error.message}`);
        }
    }
}
