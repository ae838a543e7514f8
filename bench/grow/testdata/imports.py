"""Imports much, then does little that is linear."""
import asyncio, concurrent.futures, ctypes, decimal, difflib, email.mime.multipart, html.parser, http.server
import logging.config, multiprocessing, pdb, pydoc, sqlite3, statistics, tarfile, unittest.mock, urllib.request
import xml.dom.minidom, xml.etree.ElementTree, xmlrpc.client, zipfile
import sys


def linear(n):
    total = 0
    for i in range(n):
        total += len(str(i))
    return total


print(linear(int(sys.argv[1])))
