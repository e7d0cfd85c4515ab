/** The OpenAPI document, as public tools see it. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { API_ROUTES } from '../../../src/http/api/api-routes.ts';
import { openApiDocument } from '../../../src/http/api/openapi.ts';

test('a public validator accepts the document as OpenAPI 3.1', async () => {
  const validator = new Validator();
  const document = structuredClone(openApiDocument(API_ROUTES, '1.2.3'));
  expect(await validator.validate(document)).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  // It does notice mistakes.
  const broken = openApiDocument([{ ...API_ROUTES[0]!, id: 5 as never }], '1.2.3');
  expect(await validator.validate(structuredClone(broken))).toMatchObject({ valid: false });
});
