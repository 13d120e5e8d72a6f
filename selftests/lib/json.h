/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef JSON_H
#define JSON_H

/**
 * json_string() - print a string to standard output as a JSON string
 * @text: the string, in UTF-8
 */
void json_string(const char *text);

#endif /* JSON_H */
